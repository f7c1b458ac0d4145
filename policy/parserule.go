package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hardshell/policy/argv"
	"hardshell/policy/source"
)

// exec reads one [[exec]].
func (r *reader) exec(t *source.Node, p *Policy) {
	r.Keys(t, "[[exec]]", "id", "argv", "flags", "verdict", "why", "confined", "reads", "note", "hint", "hash", "rate", "devices", "sys", "starts", "match", "not_match")
	e := &execRule{at: t.At, why: r.Why(t), verdict: r.verdict(t, "verdict", Allow, Deny, Ask, Allow), confined: r.Yes(t, "confined", false), hash: r.hash(t), rate: r.rate(t)}
	e.grants = Grants{Devices: r.grant(t, "devices", "/dev/"), Sys: r.grant(t, "sys", "/sys/"), Starts: r.List(t, "starts")}
	e.match, e.notMatch = r.commands(t, "match"), r.commands(t, "not_match")
	e.hint = r.Text(t, "hint")
	elems := r.argv(t)
	if len(elems) == 0 {
		return
	}
	pat, err := argv.Compile(elems)
	if err != nil {
		r.Fail(t.Get("argv").At, err.Error())
		return
	}
	e.pattern = pat
	e.form = pat.String()
	r.flags(t, &e.pattern)
	if e.reads = r.Yes(t, "reads", false); e.reads && (e.verdict != Allow || e.confined || !e.pattern.OnlyReads()) {
		r.Fail(t.Get("reads").At, "reads is for rules that allow reading and nothing else: no path that is written, no program text, no {rest...}, no confined")
	}
	if n := r.Text(t, "note"); n != "" {
		e.grants.Notes = []string{n}
	}
	e.id = r.ID(t, "exec.", pat.Name())
	p.execOrder = append(p.execOrder, e)
	for _, prog := range e.pattern.Programs {
		p.exec[prog] = append(p.exec[prog], e)
	}
}

// argv reads the form of a command: strings, slots, and lists of alternatives.
func (r *reader) argv(t *source.Node) []argv.Element {
	n := t.Get("argv")
	if n == nil {
		r.Fail(t.At, `argv is missing: write argv = ["cat", "{flags}", "{path:read...}"]`)
		return nil
	}
	if !r.Want(n, source.Array, "argv") {
		return nil
	}
	var out []argv.Element
	ok := len(n.Items) > 0
	for i, item := range n.Items {
		e, good := r.element(item)
		if i == 0 && good && !e.Plain() {
			r.Fail(item.At, "the program stands first, written out; a rule for any program would be no rule")
			good = false
		}
		ok = ok && good
		out = append(out, e)
	}
	if len(n.Items) == 0 {
		r.Fail(n.At, "argv is empty: it begins with the program")
	}
	if !ok {
		return nil
	}
	return out
}

// element reads one place of argv.
func (r *reader) element(n *source.Node) (argv.Element, bool) {
	switch {
	case n.Kind == source.String && n.Text != "":
		e, err := argv.ParseElement(n.Text)
		if err != nil {
			r.Fail(n.At, err.Error())
		}
		return e, err == nil
	case n.Kind == source.Array && len(n.Items) > 0:
		var words []string
		for _, item := range n.Items {
			if item.Kind != source.String || item.Text == "" || strings.HasPrefix(item.Text, "{") {
				r.Fail(item.At, "alternatives are plain words")
				return argv.Element{}, false
			}
			words = append(words, item.Text)
		}
		return argv.OneOf(words), true
	}
	r.Fail(n.At, "argv holds words, slots and lists of words")
	return argv.Element{}, false
}

// flags reads the list of allowed flags.
func (r *reader) flags(t *source.Node, p *argv.Pattern) {
	n := t.Get("flags")
	if n == nil {
		return
	}
	if !p.HasFlags {
		r.Fail(n.At, "flags without a place: put {flags} into argv, where they may begin")
	}
	for i, f := range r.List(t, "flags") {
		if err := p.AllowFlag(f); err != nil {
			r.Fail(n.Items[i].At, err.Error())
		}
	}
}

// hash reads the sha-256 that binds a program in a writable place.
func (r *reader) hash(t *source.Node) string {
	s := r.Text(t, "hash")
	if s != "" && (len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "") {
		r.Fail(t.Get("hash").At, "hash is the sha-256 of the program in hex: sha256sum FILE prints it")
	}
	return s
}

// rate reads a rule's rate.
func (r *reader) rate(t *source.Node) rate {
	s := r.Text(t, "rate")
	if s == "" {
		return rate{}
	}
	out, ok := parseRate(s)
	if !ok {
		r.Fail(t.Get("rate").At, fmt.Sprintf("%q is no rate: write 20/1h, at most %d uses in at most %d days", s, MaxRateUses, MaxRateTime/(24*time.Hour)))
	}
	return out
}

// neverGranted are device nodes that no rule can hand to a command.
var neverGranted = []string{"gpiochip", "i2c", "spi", "mem", "kmem", "port", "sd", "mmcblk", "nvme", "loop", "dm-", "mtd", "zram", "watchdog", "tty0", "console", "ptmx", "fuse", "kvm", "uinput", "hidraw", "disk", "block", "mapper", "raw", "vd", "hd", "nbd", "rtc"}

// grant reads path patterns beneath a folder.
func (r *reader) grant(t *source.Node, key, beneath string) []string {
	list := r.List(t, key)
	for i, g := range list {
		at := t.Get(key).Items[i].At
		rest, ok := strings.CutPrefix(g, beneath)
		if !ok || rest == "" || strings.Contains(g, "..") || strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "[") {
			r.Fail(at, fmt.Sprintf("%q: %s takes paths beneath %s whose next part is written out", g, key, beneath))
			continue
		}
		if key == "devices" && slices.ContainsFunc(neverGranted, func(p string) bool { return couldBegin(rest, p) }) {
			r.Fail(at, fmt.Sprintf("%q is never given to commands: pins, buses, memory and disks have their own tools", g))
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
func (r *reader) commands(t *source.Node, key string) []example {
	n := t.Get(key)
	if n == nil || !r.Want(n, source.Array, key) {
		return nil
	}
	var out []example
	for _, item := range n.Items {
		e := example{at: item.At}
		switch item.Kind {
		case source.String:
			e.argv = strings.Fields(item.Text)
		case source.Array:
			for _, w := range item.Items {
				if r.Want(w, source.String, "a word of an example") {
					e.argv = append(e.argv, w.Text)
				}
			}
		}
		if len(e.argv) == 0 {
			r.Fail(item.At, `an example is a command: "cat log.txt" or ["cat", "a b.txt"]`)
			continue
		}
		out = append(out, e)
	}
	return out
}

// paths reads the examples of a file rule.
func (r *reader) paths(t *source.Node, key string) []example {
	var out []example
	for i, s := range r.List(t, key) {
		out = append(out, example{[]string{s}, t.Get(key).Items[i].At})
	}
	return out
}
