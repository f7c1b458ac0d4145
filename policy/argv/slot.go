package argv

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hardshell/policy/wording"
)

// slot is a typed place in an argv pattern or the value of a flag.
type slot struct {
	name   string // word, text, of, path, rest, or that of a shape
	access Access // of a path
	// names are patterns of which a path's last part must fit one (and then it
	// has no ":" either), or the words of "of".
	names    []string
	many     bool // "...": any number of words, none included
	optional bool // "?": one word or none
}

// shape is a slot for words that are written out and have a form. A new one is a line
// in shapes, and its form a file of its own.
type shape struct {
	name string
	fits func(text string) bool
}

var shapes = []shape{
	{"int", WholeNumber},
	{"num", anyNumber},
	{"name", PlainName},
	{"pcm", soundDevice},
	{"awk", awkIsHarmless},
	{"sed", sedIsHarmless},
	{"jq", jqIsHarmless},
}

// shapeOf finds a shape by its name; nil when there is none.
func shapeOf(name string) *shape {
	for i := range shapes {
		if shapes[i].name == name {
			return &shapes[i]
		}
	}
	return nil
}

// otherSlots are the slots that are no shapes.
var otherSlots = []string{"word", "text", "of", "path", "rest"}

// slotNames names all slots, for a person who mistypes one.
func slotNames() []string {
	names := append(slices.Clone(otherSlots), "flags")
	for _, s := range shapes {
		names = append(names, s.name)
	}
	return names
}

// Need is a path that a rule's match depends on.
type Need struct {
	Path   string
	Access Access
}

// parseSlot reads "{word}", "{int}", "{path:read *.c *.h}", "{of:a,b}", each
// with "..." or "?" before the closing brace.
func parseSlot(s string) (slot, error) {
	body, opens := strings.CutPrefix(s, "{")
	body, closes := strings.CutSuffix(body, "}")
	if !opens || !closes {
		return slot{}, fmt.Errorf("%q is no slot: write {word}, {int}, {path:read}, …", s)
	}
	var sl slot
	body, sl.many = strings.CutSuffix(body, "...")
	if !sl.many {
		body, sl.optional = strings.CutSuffix(body, "?")
	}
	name, arg, hasArg := strings.Cut(body, ":")
	sl.name = name
	if !slices.Contains(otherSlots, name) && shapeOf(name) == nil {
		return slot{}, fmt.Errorf("there is no slot {%s}%s", name, wording.DidYouMean(name, slotNames()))
	}
	switch {
	case name == "path":
		parts := strings.Fields(arg)
		if len(parts) == 0 || !slices.Contains(accesses, parts[0]) {
			return slot{}, fmt.Errorf("{path} needs how it is used: {path:read}; there are %s", strings.Join(accesses, ", "))
		}
		sl.access, sl.names = Access(parts[0]), parts[1:]
		for _, g := range sl.names {
			if _, err := path.Match(g, ""); err != nil {
				return slot{}, fmt.Errorf("%q is no name pattern: use *, ? and [a-z]", g)
			}
		}
	case name == "of":
		sl.names = strings.Split(arg, ",")
		if arg == "" {
			return slot{}, fmt.Errorf("{of} needs its words: {of:pid,user,comm}")
		}
	case hasArg:
		return slot{}, fmt.Errorf("{%s} takes nothing after its name", name)
	case name == "rest" && !sl.many:
		return slot{}, fmt.Errorf("{rest} stands for any number of words: write {rest...}")
	}
	return sl, nil
}

// accepts tells whether a word can stand in the slot. A value (of a flag, or
// after "--") may begin with a dash. With wide, what isn't known counts as
// fitting: a denying rule must not be dodged by a word that can't be foreseen.
func (s *slot) accepts(w Word, value, wide bool) bool {
	if w.Kind == Several && !s.many {
		return wide
	}
	switch s.name {
	case "text":
		return true
	case "rest":
		return w.Kind == Literal || w.Kind == Number || wide
	case "word":
		return value && w.Kind != Several || !w.Dashed() || wide && w.Kind != Literal
	case "int", "num":
		if w.Kind == Number {
			return true
		}
	}
	if w.Kind != Literal {
		return wide
	}
	return s.fits(w.Text)
}

// fits tells whether a word that is written out has the slot's form.
func (s *slot) fits(text string) bool {
	switch s.name {
	case "of":
		return s.words(text)
	case "path":
		return s.path(text)
	}
	shape := shapeOf(s.name)
	return shape != nil && shape.fits(text)
}

// words checks a comma-separated list of the slot's words.
func (s *slot) words(text string) bool {
	for _, part := range strings.Split(text, ",") {
		if !slices.Contains(s.names, part) {
			return false
		}
	}
	return true
}

// path checks the form of a path; where it leads is judged by the file rules. A
// leading "@" makes several programs read arguments from the file.
func (s *slot) path(text string) bool {
	if text == "" || text[0] == '@' || text[0] == '-' && text != "-" || !CouldBePath(text) {
		return false
	}
	if len(s.names) == 0 {
		return s.access != Local || !strings.Contains(text, ":")
	}
	if strings.Contains(text, ":") {
		return false
	}
	return slices.ContainsFunc(s.names, func(g string) bool {
		ok, _ := path.Match(g, path.Base(text))
		return ok
	})
}
