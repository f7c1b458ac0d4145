package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// element is one place of an argv pattern: words of which one must stand there,
// a slot, or the mark from where on flags may stand anywhere.
type element struct {
	words []string
	slot  *slot
	flags bool
}

// parseElement reads one place of an argv pattern: a plain word, a slot, or {flags}.
func parseElement(s string) (element, error) {
	switch {
	case s == "{flags}":
		return element{flags: true}, nil
	case strings.HasPrefix(s, "{"):
		sl, err := parseSlot(s)
		return element{slot: &sl}, err
	}
	return element{words: []string{s}}, nil
}

// oneOf is a place where one of these words must stand.
func oneOf(words []string) element { return element{words: words} }

// plain tells whether the place is written out.
func (e element) plain() bool { return e.slot == nil && !e.flags }

// pattern is the form of a command: its program and what may follow.
type pattern struct {
	programs []string
	prefix   []element // before {flags}, each exactly one word
	hasFlags bool
	operands []element // after {flags}, or after the prefix; one of them may repeat
	flags    flagSet
}

// compile sorts elements into the parts of a pattern. prefix holds the words
// that must come first; without {flags} everything is an operand.
func compile(elems []element) (pattern, error) {
	p := pattern{programs: elems[0].words, flags: flagSet{clusters: true}}
	rest := elems[1:]
	if i := slices.IndexFunc(rest, func(e element) bool { return e.flags }); i >= 0 {
		p.prefix, p.hasFlags, rest = rest[:i], true, rest[i+1:]
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

// allowFlag adds one entry to the flags that may stand from {flags} on.
func (p *pattern) allowFlag(s string) error { return p.flags.parseFlag(s) }

// places are the elements behind the program, {flags} left out.
func (p *pattern) places() []element { return slices.Concat(p.prefix, p.operands) }

// name is the program with the plain words that follow it, joined by dots.
func (p *pattern) name() string {
	name := strings.Trim(p.programs[0][strings.LastIndexByte(p.programs[0], '/')+1:], "[]")
	if name == "" {
		name = "bracket"
	}
	for _, e := range p.places() {
		if e.slot != nil || !plainName(e.words[0]) {
			break
		}
		name += "." + e.words[0]
	}
	return name
}

// takesRest tells whether a place of the pattern takes any words at all.
func (p *pattern) takesRest() bool {
	return slices.ContainsFunc(p.operands, func(e element) bool { return e.slot != nil && e.slot.name == "rest" })
}

// loneFlags are the words of a pattern that is for one flag alone, such as --help; nil
// of any other.
func (p *pattern) loneFlags() []string {
	if e := p.places(); len(e) == 1 && len(e[0].words) > 0 && strings.HasPrefix(e[0].words[0], "-") {
		return e[0].words
	}
	return nil
}

// verbs are the words of which the first behind the program must be one; open is true
// where it may be another.
func (p *pattern) verbs() (words []string, open bool) {
	first := p.places()
	if len(first) == 0 || first[0].words == nil {
		return nil, true
	}
	return first[0].words, false
}

// flagNames are the flags that the pattern allows, in order, each once.
func (p *pattern) flagNames() []string {
	out := slices.Concat(slices.Collect(maps.Keys(p.flags.plain)), slices.Collect(maps.Keys(p.flags.value)))
	for _, j := range p.flags.joined {
		out = append(out, j.prefix)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// onlyReads tells whether no slot of the pattern or of its flags is written to, holds
// program text, or takes anything.
func (p *pattern) onlyReads() bool {
	harmless := func(s *slot) bool {
		switch s.name {
		case "path":
			return !s.access.writes() && s.access != toDevice
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

// match tells whether the words after the program fit, and which paths the match
// depends on. bad says what does not fit, after how many words that did.
func (p *pattern) match(ws []word, wide bool) (needs []need, bad string, fitted int) {
	all := len(ws)
	for _, e := range p.prefix {
		if len(ws) == 0 {
			return nil, "it ends too early", all
		}
		n, ok := e.take(ws[0], false, wide)
		if !ok {
			return nil, fmt.Sprintf("%s does not fit", show(ws[:1])), all - len(ws)
		}
		needs, ws = append(needs, n...), ws[1:]
	}
	if !p.hasFlags {
		more, bad, fitted := p.matchOperands(ws, len(ws), wide)
		return append(needs, more...), bad, all - len(ws) + fitted
	}
	var left []word
	plain := -1 // operands from here on came after "--"
	for len(ws) > 0 {
		w := ws[0]
		if w.kind == literal && w.text == "--" {
			plain = len(left)
			left = append(left, ws[1:]...)
			break
		}
		if !p.flags.isFlag(w) || wide && w.kind != literal {
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
func (p *pattern) matchOperands(ws []word, plain int, wide bool) (needs []need, bad string, fitted int) {
	loose := slices.IndexFunc(p.operands, func(e element) bool { return e.slot != nil && (e.slot.many || e.slot.optional) })
	least := len(p.operands)
	if loose >= 0 {
		least--
	}
	extra := len(ws) - least
	switch {
	case extra < 0:
		return nil, "it ends too early", len(ws)
	case extra > 0 && loose < 0 || extra > 1 && loose >= 0 && p.operands[loose].slot.optional:
		return nil, fmt.Sprintf("%s is one word too many", show(ws[len(ws)-1:])), len(p.operands)
	}
	at := 0
	for i := range p.operands {
		times := 1
		if i == loose {
			times = extra
		}
		for range times {
			n, ok := p.operands[i].take(ws[at], at >= plain && p.hasFlags, wide)
			if !ok {
				return nil, fmt.Sprintf("%s does not fit", show(ws[at:at+1])), at
			}
			needs = append(needs, n...)
			at++
		}
	}
	return needs, "", len(ws)
}

// take tells whether one word fits the element.
func (e *element) take(w word, value, wide bool) ([]need, bool) {
	if e.slot == nil {
		return nil, w.kind == literal && slices.Contains(e.words, w.text) || wide && w.kind != literal
	}
	if !e.slot.accepts(w, value, wide) {
		return nil, false
	}
	if e.slot.name == "path" && w.kind == literal {
		return []need{{w.text, e.slot.access}}, true
	}
	return nil, true
}

// String is the pattern as the file writes it, without its flags.
func (p *pattern) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(p.programs, "|"))
	put := func(es []element) {
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
	if p.hasFlags {
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
