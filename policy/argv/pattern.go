package argv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Element is one place of an argv pattern: words of which one must stand there,
// a slot, or the mark from where on flags may stand anywhere.
type Element struct {
	words []string
	slot  *slot
	flags bool
}

// ParseElement reads one place of an argv pattern: a plain word, a slot, or {flags}.
func ParseElement(s string) (Element, error) {
	switch {
	case s == "{flags}":
		return Element{flags: true}, nil
	case strings.HasPrefix(s, "{"):
		sl, err := parseSlot(s)
		return Element{slot: &sl}, err
	}
	return Element{words: []string{s}}, nil
}

// OneOf is a place where one of these words must stand.
func OneOf(words []string) Element { return Element{words: words} }

// Plain tells whether the place is written out.
func (e Element) Plain() bool { return e.slot == nil && !e.flags }

// Pattern is the form of a command: its program and what may follow.
type Pattern struct {
	Programs []string
	prefix   []Element // before {flags}, each exactly one word
	HasFlags bool
	operands []Element // after {flags}, or after the prefix; one of them may repeat
	flags    flagSet
}

// Compile sorts elements into the parts of a pattern. prefix holds the words
// that must come first; without {flags} everything is an operand.
func Compile(elems []Element) (Pattern, error) {
	p := Pattern{Programs: elems[0].words, flags: flagSet{clusters: true}}
	rest := elems[1:]
	if i := slices.IndexFunc(rest, func(e Element) bool { return e.flags }); i >= 0 {
		p.prefix, p.HasFlags, rest = rest[:i], true, rest[i+1:]
	}
	p.operands = rest
	loose := 0
	for _, e := range p.operands {
		if e.flags {
			return p, fmt.Errorf("{flags} stands at most once")
		}
		if e.slot != nil && (e.slot.many || e.slot.optional) {
			loose++
		}
	}
	if loose > 1 {
		return p, fmt.Errorf("at most one slot of a rule can be optional or repeat; write two rules")
	}
	for _, e := range p.prefix {
		if e.slot != nil && (e.slot.many || e.slot.optional) {
			return p, fmt.Errorf("what stands before {flags} can't be optional or repeat")
		}
	}
	return p, nil
}

// AllowFlag adds one entry to the flags that may stand from {flags} on.
func (p *Pattern) AllowFlag(s string) error { return p.flags.parseFlag(s) }

// places are the elements behind the program, {flags} left out.
func (p *Pattern) places() []Element { return slices.Concat(p.prefix, p.operands) }

// Name is the program with the plain words that follow it, joined by dots.
func (p *Pattern) Name() string {
	name := strings.Trim(p.Programs[0][strings.LastIndexByte(p.Programs[0], '/')+1:], "[]")
	if name == "" {
		name = "bracket"
	}
	for _, e := range p.places() {
		if e.slot != nil || !PlainName(e.words[0]) {
			break
		}
		name += "." + e.words[0]
	}
	return name
}

// TakesRest tells whether a place of the pattern takes any words at all.
func (p *Pattern) TakesRest() bool {
	return slices.ContainsFunc(p.operands, func(e Element) bool { return e.slot != nil && e.slot.name == "rest" })
}

// LoneFlags are the words of a pattern that is for one flag alone, such as --help; nil
// of any other.
func (p *Pattern) LoneFlags() []string {
	if e := p.places(); len(e) == 1 && len(e[0].words) > 0 && strings.HasPrefix(e[0].words[0], "-") {
		return e[0].words
	}
	return nil
}

// Verbs are the words of which the first behind the program must be one; open is true
// where it may be another.
func (p *Pattern) Verbs() (words []string, open bool) {
	first := p.places()
	if len(first) == 0 || first[0].words == nil {
		return nil, true
	}
	return first[0].words, false
}

// FlagNames are the flags that the pattern allows, in order, each once.
func (p *Pattern) FlagNames() []string {
	out := slices.Concat(slices.Collect(maps.Keys(p.flags.plain)), slices.Collect(maps.Keys(p.flags.value)))
	for _, j := range p.flags.joined {
		out = append(out, j.prefix)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// OnlyReads tells whether no slot of the pattern or of its flags is written to, holds
// program text, or takes anything.
func (p *Pattern) OnlyReads() bool {
	harmless := func(s *slot) bool {
		switch s.name {
		case "path":
			return !s.access.Writes() && s.access != Device
		case "awk", "sed", "jq", "rest":
			return false
		}
		return true
	}
	for _, e := range p.places() {
		if e.slot != nil && !harmless(e.slot) {
			return false
		}
	}
	for _, s := range p.flags.value {
		if !harmless(&s) {
			return false
		}
	}
	return !slices.ContainsFunc(p.flags.joined, func(j joinedFlag) bool { return !harmless(&j.slot) })
}

// Match tells whether the words after the program fit, and which paths the match
// depends on. bad says what does not fit, after how many words that did.
func (p *Pattern) Match(ws []Word, wide bool) (needs []Need, bad string, fitted int) {
	all := len(ws)
	for _, e := range p.prefix {
		if len(ws) == 0 {
			return nil, "it ends too early", all
		}
		n, ok := e.take(ws[0], false, wide)
		if !ok {
			return nil, fmt.Sprintf("%s does not fit", Show(ws[:1])), all - len(ws)
		}
		needs, ws = append(needs, n...), ws[1:]
	}
	if !p.HasFlags {
		more, bad, fitted := p.matchOperands(ws, len(ws), wide)
		return append(needs, more...), bad, all - len(ws) + fitted
	}
	var left []Word
	plain := -1 // operands from here on came after "--"
	for len(ws) > 0 {
		w := ws[0]
		if w.Kind == Literal && w.Text == "--" {
			plain = len(left)
			left = append(left, ws[1:]...)
			break
		}
		if !p.flags.isFlag(w) || wide && w.Kind != Literal {
			left, ws = append(left, w), ws[1:]
			continue
		}
		t := p.flags.take(ws, wide)
		if t.words == 0 {
			return nil, t.bad, all - len(ws)
		}
		needs, ws = append(needs, t.needs...), ws[t.words:]
	}
	if plain < 0 {
		plain = len(left)
	}
	more, bad, fitted := p.matchOperands(left, plain, wide)
	return append(needs, more...), bad, all - len(left) + fitted
}

// matchOperands fits words to the operands; words from plain on came after "--".
func (p *Pattern) matchOperands(ws []Word, plain int, wide bool) (needs []Need, bad string, fitted int) {
	loose := slices.IndexFunc(p.operands, func(e Element) bool { return e.slot != nil && (e.slot.many || e.slot.optional) })
	least := len(p.operands)
	if loose >= 0 {
		least--
	}
	extra := len(ws) - least
	switch {
	case extra < 0:
		return nil, "it ends too early", len(ws)
	case extra > 0 && loose < 0 || extra > 1 && loose >= 0 && p.operands[loose].slot.optional:
		return nil, fmt.Sprintf("%s is one word too many", Show(ws[len(ws)-1:])), len(p.operands)
	}
	at := 0
	for i := range p.operands {
		times := 1
		if i == loose {
			times = extra
		}
		for range times {
			n, ok := p.operands[i].take(ws[at], at >= plain && p.HasFlags, wide)
			if !ok {
				return nil, fmt.Sprintf("%s does not fit", Show(ws[at:at+1])), at
			}
			needs = append(needs, n...)
			at++
		}
	}
	return needs, "", len(ws)
}

// take tells whether one word fits the element.
func (e *Element) take(w Word, value, wide bool) ([]Need, bool) {
	if e.slot == nil {
		return nil, w.Kind == Literal && slices.Contains(e.words, w.Text) || wide && w.Kind != Literal
	}
	if !e.slot.accepts(w, value, wide) {
		return nil, false
	}
	if e.slot.name == "path" && w.Kind == Literal {
		return []Need{{w.Text, e.slot.access}}, true
	}
	return nil, true
}

// String is the pattern as the file writes it, without its flags.
func (p *Pattern) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(p.Programs, "|"))
	put := func(es []Element) {
		for _, e := range es {
			b.WriteByte(' ')
			if e.slot == nil {
				b.WriteString(strings.Join(e.words, "|"))
			} else {
				b.WriteString(e.slot.String())
			}
		}
	}
	put(p.prefix)
	if p.HasFlags {
		b.WriteString(" {flags}")
	}
	put(p.operands)
	return b.String()
}

// String is the slot as the file writes it.
func (s *slot) String() string {
	text := "{" + s.name
	switch s.name {
	case "path":
		text += ":" + strings.Join(append([]string{string(s.access)}, s.names...), " ")
	case "of":
		text += ":" + strings.Join(s.names, ",")
	}
	switch {
	case s.many:
		text += "..."
	case s.optional:
		text += "?"
	}
	return text + "}"
}
