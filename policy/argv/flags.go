package argv

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/wording"
)

// flagSet is the list of flags that a rule allows; every other flag is refused.
type flagSet struct {
	plain    map[string]bool // no value
	value    map[string]slot // a value of its own: next word, =VALUE, or joined to a short one
	joined   []joinedFlag    // a value without a space: --color=VALUE, -j4
	digits   bool            // -5 as a count
	clusters bool            // -la stands for -l -a
}

// joinedFlag is a flag whose value follows without a space.
type joinedFlag struct {
	prefix string
	slot   slot
}

// parseFlag adds one entry: "-l", "--color", "-n {int}", "--color={word}",
// "-j{int}", "-{int}", "V={int}" of make. An entry without a dash is a word that may stand among
// the flags, as "(" in find.
func (fs *flagSet) parseFlag(s string) error {
	name, rest, has := strings.Cut(s, "{")
	if !has {
		return fs.plainFlag(s)
	}
	sl, err := parseSlot("{" + rest)
	if err != nil {
		return err
	}
	if sl.many || sl.optional {
		return fmt.Errorf("%q: a flag takes exactly one value", s)
	}
	switch trimmed := strings.TrimRight(name, " "); {
	case name == "-" && sl.name == "int":
		fs.digits = true
	case name == "+", isVariable(name):
		fs.joined = append(fs.joined, joinedFlag{name, sl})
	case !strings.HasPrefix(name, "-") || trimmed == "-" || trimmed == "--":
		return fmt.Errorf("%q: only a flag can take a value", s)
	case trimmed != name:
		if fs.value == nil {
			fs.value = map[string]slot{}
		}
		fs.value[trimmed] = sl
		if len(trimmed) > 2 && trimmed[1] != '-' {
			fs.clusters = false
		}
	default:
		fs.joined = append(fs.joined, joinedFlag{name, sl})
	}
	return nil
}

// plainFlag adds an entry without a value.
func (fs *flagSet) plainFlag(s string) error {
	if s == "" || s == "-" || s == "--" || strings.ContainsAny(s, " \t=") {
		return fmt.Errorf("%q is no flag: write -l, --long, -n {int} or --long={word}", s)
	}
	if fs.plain == nil {
		fs.plain = map[string]bool{}
	}
	fs.plain[s] = true
	if len(s) > 2 && s[0] == '-' && s[1] != '-' {
		fs.clusters = false // -name among the flags: this program bundles nothing
	}
	return nil
}

// taken is what reading one flag gave.
type taken struct {
	words int // how many words it used, 0 when it is not allowed
	needs []Need
	bad   string // what is wrong with it
}

// take reads the flag at the start of ws. With wide, see slot.accepts.
func (fs *flagSet) take(ws []Word, wide bool) taken {
	w := ws[0]
	if w.Kind == Literal && fs.plain[w.Text] {
		return taken{words: 1}
	}
	if sl, ok := fs.value[w.Text]; ok && w.Kind == Literal {
		if len(ws) < 2 {
			return taken{bad: w.Text + " lacks its value"}
		}
		return fits(w.Text, sl, ws[1], 2, wide)
	}
	if name, val, ok := strings.Cut(w.Text, "="); ok && strings.HasPrefix(name, "--") {
		if sl, ok := fs.value[name]; ok {
			return fits(name, sl, Word{val, w.Kind}, 1, wide)
		}
	}
	for _, j := range fs.joined {
		// A joined @ can become a word of its own on the way: gcc reads words from the
		// file of -D@FILE.
		if val, ok := strings.CutPrefix(w.Text, j.prefix); ok && (wide || j.prefix[0] != '-' || !strings.HasPrefix(val, "@")) {
			if t := fits(j.prefix, j.slot, Word{val, w.Kind}, 1, wide); t.words > 0 {
				return t
			}
		}
	}
	if w.Kind != Literal {
		return taken{bad: "a word that isn't known beforehand could be a flag"}
	}
	if fs.digits && len(w.Text) > 1 && strings.Trim(w.Text[1:], "0123456789") == "" {
		return taken{words: 1}
	}
	return fs.bundle(ws, wide)
}

// isFlag tells whether a word is read as a flag: it may begin with a dash, or is
// on the list by itself.
func (fs *flagSet) isFlag(w Word) bool {
	if w.Dashed() {
		return true
	}
	return w.Kind == Literal && (fs.plain[w.Text] || slices.ContainsFunc(fs.joined, func(j joinedFlag) bool { return j.prefix[0] != '-' && strings.HasPrefix(w.Text, j.prefix) }))
}

// isVariable tells whether a flag is a variable and its equals sign: CC=.
func isVariable(name string) bool {
	name, ok := strings.CutSuffix(name, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// bundle reads -la, -n5 and -ln5.
func (fs *flagSet) bundle(ws []Word, wide bool) taken {
	text := ws[0].Text
	if strings.HasPrefix(text, "--") || !fs.clusters && len(text) > 1 {
		if sl, ok := fs.value[text[:min(2, len(text))]]; ok && text[1] != '-' {
			return fits(text[:2], sl, Word{Text: text[2:]}, 1, wide)
		}
		return taken{bad: fmt.Sprintf("the flag %s is not on the rule's list", wording.Quote(text))}
	}
	for i := 1; i < len(text); i++ {
		f := "-" + text[i:i+1]
		if fs.plain[f] && (alnum(f[1]) || strings.IndexByte("?#@", f[1]) >= 0) {
			continue
		}
		sl, ok := fs.value[f]
		switch {
		case !ok:
			return taken{bad: fmt.Sprintf("the flag %s of %s is not on the rule's list", wording.Quote(f), wording.Quote(text))}
		case i+1 < len(text):
			return fits(f, sl, Word{Text: text[i+1:]}, 1, wide)
		case len(ws) < 2:
			return taken{bad: f + " lacks its value"}
		default:
			return fits(f, sl, ws[1], 2, wide)
		}
	}
	return taken{words: 1}
}

// fits checks a flag's value.
func fits(name string, sl slot, w Word, words int, wide bool) taken {
	if !sl.accepts(w, true, wide) {
		return taken{bad: fmt.Sprintf("%s is no value that the rule allows for %s", Show([]Word{w}), name)}
	}
	t := taken{words: words}
	if sl.name == "path" {
		t.needs = []Need{{w.Text, sl.access}}
	}
	return t
}
