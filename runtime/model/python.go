package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// pythonForm reads a list of Python calls, [name(a="b"), other(n=1)]. Only
// keyword arguments with literal values count; nothing is evaluated.
func pythonForm(text string) ([]writtenCall, bool) {
	p := &python{in: text}
	if !p.eat('[') {
		return nil, false
	}
	var out []writtenCall
	for {
		w, ok := p.call()
		if !ok {
			return nil, false
		}
		out = append(out, w)
		if p.eat(']') {
			break
		}
		if !p.eat(',') {
			return nil, false
		}
	}
	p.space()
	return out, p.at == len(p.in)
}

// statements reads Python calls one a line or in a list, each perhaps within
// print(…), as Gemma writes them in a tool_code block.
func statements(text string) ([]writtenCall, bool) {
	if strings.HasPrefix(text, "[") {
		return pythonForm(text)
	}
	var out []writtenCall
	p := &python{in: text}
	for p.space(); p.at < len(p.in); p.space() {
		printed := strings.HasPrefix(p.in[p.at:], "print(")
		if printed {
			p.at += len("print(")
		}
		w, ok := p.call()
		if !ok || printed && !p.eat(')') {
			return nil, false
		}
		p.eat(';')
		out = append(out, w)
	}
	return out, len(out) > 0
}

// gemmaForm reads FunctionGemma's marks:
// <start_function_call>call:name{a:<escape>text<escape>,n:1}<end_function_call>.
func gemmaForm(text string) ([]writtenCall, bool) {
	var out []writtenCall
	for text != "" {
		rest, ok := strings.CutPrefix(text, "<start_function_call>call:")
		if !ok {
			return nil, false
		}
		p := &python{in: rest, gemma: true}
		name := p.name()
		args, ok := p.members('{', ':', '}')
		if !ok || !nameLike(name) {
			return nil, false
		}
		rest, closed := strings.CutPrefix(strings.TrimSpace(rest[p.at:]), "<end_function_call>")
		if !closed && rest != "" {
			return nil, false
		}
		out = append(out, writtenCall{name, []json.RawMessage{args}})
		text = strings.TrimSpace(rest)
	}
	return out, len(out) > 0
}

// maxNested bounds how deep lists and objects may lie in each other.
const maxNested = 32

// python reads literals: those of Python, or FunctionGemma's kin of them, where
// keys have no quotes and texts stand between <escape> marks.
type python struct {
	in    string
	at    int
	depth int
	gemma bool
}

// space passes over white space.
func (p *python) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

// eat takes a byte if it is the next one after white space.
func (p *python) eat(c byte) bool {
	p.space()
	if p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return false
}

// name takes an identifier; empty when there is none.
func (p *python) name() string {
	p.space()
	from := p.at
	for p.at < len(p.in) && nameByte(p.in[p.at]) {
		p.at++
	}
	return p.in[from:p.at]
}

// call takes name(k=v, …).
func (p *python) call() (writtenCall, bool) {
	name := p.name()
	if !nameLike(name) || name[0] >= '0' && name[0] <= '9' {
		return writtenCall{}, false
	}
	args, ok := p.members('(', '=', ')')
	return writtenCall{name, []json.RawMessage{args}}, ok
}

// members takes named values between two brackets as a JSON object.
func (p *python) members(open, colon, closing byte) (json.RawMessage, bool) {
	var o ordered
	seen := map[string]bool{}
	if !p.eat(open) {
		return nil, false
	}
	for !p.eat(closing) {
		if len(seen) > 0 && !p.eat(',') {
			return nil, false
		}
		if len(seen) > 0 && p.eat(closing) {
			break // a comma after the last one
		}
		key, ok := p.key(colon)
		if !ok || key == "" || seen[key] || !p.eat(colon) {
			return nil, false
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		seen[key] = true
		o.add(key, v)
	}
	return o.raw(), true
}

// key takes the name of a member: quoted in a dict of Python's, else bare.
func (p *python) key(colon byte) (string, bool) {
	if colon == ':' && !p.gemma {
		return p.text()
	}
	return p.name(), true
}

// value takes a literal as JSON.
func (p *python) value() (json.RawMessage, bool) {
	p.space()
	if p.at == len(p.in) || p.depth == maxNested {
		return nil, false
	}
	p.depth++
	defer func() { p.depth-- }()
	switch c := p.in[p.at]; {
	case c == '[':
		return p.list('[', ']')
	case c == '(' && !p.gemma:
		return p.list('(', ')')
	case c == '{':
		return p.members('{', ':', '}')
	case c == '"', c == '\'', c == '<' && p.gemma:
		s, ok := p.text()
		return quote(s), ok
	}
	return p.word()
}

// list takes values between two brackets as a JSON list.
func (p *python) list(open, closing byte) (json.RawMessage, bool) {
	p.eat(open)
	var vs []string
	for !p.eat(closing) {
		if len(vs) > 0 && !p.eat(',') {
			return nil, false
		}
		if len(vs) > 0 && p.eat(closing) {
			break
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		vs = append(vs, string(v))
	}
	return json.RawMessage("[" + strings.Join(vs, ",") + "]"), true
}

// word takes a number, a truth value or nothing.
func (p *python) word() (json.RawMessage, bool) {
	from := p.at
	for p.at < len(p.in) && (nameByte(p.in[p.at]) || p.in[p.at] == '+') {
		p.at++
	}
	switch w := p.in[from:p.at]; w {
	case "True", "true":
		return json.RawMessage("true"), true
	case "False", "false":
		return json.RawMessage("false"), true
	case "None", "null":
		return json.RawMessage("null"), true
	default:
		return json.RawMessage(w), w != "" && strings.IndexByte("-0123456789", w[0]) >= 0 && json.Valid([]byte(w))
	}
}

// text takes a quoted text.
func (p *python) text() (string, bool) {
	p.space()
	if p.gemma {
		return p.escaped()
	}
	if p.at == len(p.in) || p.in[p.at] != '"' && p.in[p.at] != '\'' {
		return "", false
	}
	q := p.in[p.at]
	rest := p.in[p.at+1:]
	var b strings.Builder
	for rest != "" {
		if rest[0] == q {
			p.at = len(p.in) - len(rest) + 1
			return b.String(), true
		}
		r, wide, tail, err := strconv.UnquoteChar(rest, q)
		if err != nil || rest[0] == '\n' {
			return "", false
		}
		if wide || r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		rest = tail
	}
	return "", false
}

// escaped takes a text between <escape> marks, or between double quotes.
func (p *python) escaped() (string, bool) {
	for _, mark := range []string{"<escape>", `"`} {
		if rest, ok := strings.CutPrefix(p.in[p.at:], mark); ok {
			s, _, closed := strings.Cut(rest, mark)
			if closed {
				p.at += len(s) + 2*len(mark)
			}
			return s, closed
		}
	}
	return "", false
}
