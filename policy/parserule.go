package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hardshell/policy/argv"
)

// exec reads one [[exec]].
func (r *reader) exec(t *node, p *Policy) {
	r.keys(t, "[[exec]]", "id", "argv", "flags", "verdict", "why", "confined", "reads", "note", "hint", "hash", "rate", "devices", "sys", "starts", "match", "not_match")
	e := &execRule{at: t.at, why: r.why(t), verdict: r.verdict(t, "verdict", Allow, Deny, Ask, Allow), confined: r.yes(t, "confined", false), hash: r.hash(t), rate: r.rate(t)}
	e.grants = Grants{Devices: r.grant(t, "devices", "/dev/"), Sys: r.grant(t, "sys", "/sys/"), Starts: r.list(t, "starts")}
	e.match, e.notMatch = r.commands(t, "match"), r.commands(t, "not_match")
	elems := r.argv(t)
	if len(elems) == 0 {
		return
	}
	pat, err := argv.Compile(elems)
	if err != nil {
		r.fail(t.get("argv").at, err.Error())
		return
	}
	e.pattern = pat
	e.form = pat.String()
	r.flags(t, &e.pattern)
	if e.reads = r.yes(t, "reads", false); e.reads && (e.verdict != Allow || e.confined || !e.pattern.OnlyReads()) {
		r.fail(t.get("reads").at, "reads is for rules that allow reading and nothing else: no path that is written, no program text, no {rest...}, no confined")
	}
	e.hint = r.text(t, "hint")
	if n := r.text(t, "note"); n != "" {
		e.grants.Notes = []string{n}
	}
	e.id = r.id(t, "exec.", pat.Name())
	p.execOrder = append(p.execOrder, e)
	for _, prog := range e.pattern.Programs {
		p.exec[prog] = append(p.exec[prog], e)
	}
}

// argv reads the form of a command: strings, slots, and lists of alternatives.
func (r *reader) argv(t *node) []argv.Element {
	n := t.get("argv")
	if n == nil {
		r.fail(t.at, `argv is missing: write argv = ["cat", "{flags}", "{path:read...}"]`)
		return nil
	}
	if !r.want(n, isArray, "argv") {
		return nil
	}
	var out []argv.Element
	ok := len(n.items) > 0
	for i, item := range n.items {
		e, good := r.element(item)
		if i == 0 && good && !e.Plain() {
			r.fail(item.at, "the program stands first, written out; a rule for any program would be no rule")
			good = false
		}
		ok = ok && good
		out = append(out, e)
	}
	if len(n.items) == 0 {
		r.fail(n.at, "argv is empty: it begins with the program")
	}
	if !ok {
		return nil
	}
	return out
}

// element reads one place of argv.
func (r *reader) element(n *node) (argv.Element, bool) {
	switch {
	case n.kind == isString && n.text != "":
		e, err := argv.ParseElement(n.text)
		if err != nil {
			r.fail(n.at, err.Error())
		}
		return e, err == nil
	case n.kind == isArray && len(n.items) > 0:
		var words []string
		for _, item := range n.items {
			if item.kind != isString || item.text == "" || strings.HasPrefix(item.text, "{") {
				r.fail(item.at, "alternatives are plain words")
				return argv.Element{}, false
			}
			words = append(words, item.text)
		}
		return argv.OneOf(words), true
	}
	r.fail(n.at, "argv holds words, slots and lists of words")
	return argv.Element{}, false
}

// flags reads the list of allowed flags.
func (r *reader) flags(t *node, p *argv.Pattern) {
	n := t.get("flags")
	if n == nil {
		return
	}
	if !p.HasFlags {
		r.fail(n.at, "flags without a place: put {flags} into argv, where they may begin")
	}
	for i, f := range r.list(t, "flags") {
		if err := p.AllowFlag(f); err != nil {
			r.fail(n.items[i].at, err.Error())
		}
	}
}

// hash reads the sha-256 that binds a program in a writable place.
func (r *reader) hash(t *node) string {
	s := r.text(t, "hash")
	if s != "" && (len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "") {
		r.fail(t.get("hash").at, "hash is the sha-256 of the program in hex: sha256sum FILE prints it")
	}
	return s
}

// rate reads a rule's rate.
func (r *reader) rate(t *node) rate {
	s := r.text(t, "rate")
	if s == "" {
		return rate{}
	}
	out, ok := parseRate(s)
	if !ok {
		r.fail(t.get("rate").at, fmt.Sprintf("%q is no rate: write 20/1h, at most %d uses in at most %d days", s, MaxRateUses, MaxRateTime/(24*time.Hour)))
	}
	return out
}

// neverGranted are device nodes that no rule can hand to a command.
var neverGranted = []string{"gpiochip", "i2c", "spi", "mem", "kmem", "port", "sd", "mmcblk", "nvme", "loop", "dm-", "mtd", "zram", "watchdog", "tty0", "console", "ptmx", "fuse", "kvm", "uinput", "hidraw", "disk", "block", "mapper", "raw", "vd", "hd", "nbd", "rtc"}

// grant reads path patterns beneath a folder.
func (r *reader) grant(t *node, key, beneath string) []string {
	list := r.list(t, key)
	for i, g := range list {
		at := t.get(key).items[i].at
		rest, ok := strings.CutPrefix(g, beneath)
		if !ok || rest == "" || strings.Contains(g, "..") || strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "[") {
			r.fail(at, fmt.Sprintf("%q: %s takes paths beneath %s whose next part is written out", g, key, beneath))
			continue
		}
		if key == "devices" && slices.ContainsFunc(neverGranted, func(p string) bool { return couldBegin(rest, p) }) {
			r.fail(at, fmt.Sprintf("%q is never given to commands: pins, buses, memory and disks have their own tools", g))
		}
	}
	return list
}

// couldBegin tells whether something that a pattern matches begins with a name: what
// is written out does, or breaks off inside of the name.
func couldBegin(pattern, name string) bool {
	plain := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		plain = pattern[:i]
		if strings.HasPrefix(name, plain) {
			return true
		}
	}
	return strings.HasPrefix(plain, name)
}

// commands reads examples: a string is split at its spaces, a list is argv.
func (r *reader) commands(t *node, key string) []example {
	n := t.get(key)
	if n == nil || !r.want(n, isArray, key) {
		return nil
	}
	var out []example
	for _, item := range n.items {
		e := example{at: item.at}
		switch item.kind {
		case isString:
			e.argv = strings.Fields(item.text)
		case isArray:
			for _, w := range item.items {
				if r.want(w, isString, "a word of an example") {
					e.argv = append(e.argv, w.text)
				}
			}
		}
		if len(e.argv) == 0 {
			r.fail(item.at, `an example is a command: "cat log.txt" or ["cat", "a b.txt"]`)
			continue
		}
		out = append(out, e)
	}
	return out
}

// paths reads the examples of a file rule.
func (r *reader) paths(t *node, key string) []example {
	var out []example
	for i, s := range r.list(t, key) {
		out = append(out, example{[]string{s}, t.get(key).items[i].at})
	}
	return out
}
