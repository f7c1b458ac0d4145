package model

import "strings"

// mark is a pair of tags around thinking that a server did not take out of the
// content itself.
type mark struct{ open, close string }

// marks are the pairs in use. No open tag is the beginning of another.
var marks = []mark{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

// answerMark stands around the answer of a model that was asked for both tags.
var answerMark = mark{"<final>", "</final>"}

// splitter takes thinking out of streamed content, whatever way the chunks cut
// the tags. A tag in quotes or backticks is text: people talk about tags, too.
type splitter struct {
	text, think strings.Builder
	held        string // the end of the input that may be the beginning of a tag
	in          string // the close tag that ends the present thinking; empty outside
	last        byte   // the byte before held, 0 at the start
	thought     bool   // thinking was seen
	tagged      bool   // final tags are marks, too
	final       bool   // one was seen
}

// write takes a piece of content and gives what of it is text and what thinking.
func (s *splitter) write(piece string) (text, think string) {
	text, think, s.held = s.split(s.held+piece, false)
	return text, think
}

// end gives what was held back.
func (s *splitter) end() (text, think string) {
	text, think, s.held = s.split(s.held, true)
	return text, think
}

// split goes through the input tag by tag. It keeps back an end that may grow
// into a tag, unless this is the end of the message.
func (s *splitter) split(in string, end bool) (text, think, held string) {
	var ts, ks strings.Builder
	for in != "" {
		at, tag, sure := s.next(in)
		if at < 0 {
			s.emit(in, &ts, &ks)
			break
		}
		s.emit(in[:at], &ts, &ks)
		in = in[at:]
		switch {
		case !sure && !end:
			return ts.String(), ks.String(), in
		case !sure:
			s.emit(in, &ts, &ks)
			return ts.String(), ks.String(), ""
		}
		in = in[len(tag):]
		s.toggle(tag)
	}
	return ts.String(), ks.String(), ""
}

// toggle enters or leaves thinking. A close tag without its open one makes what
// came before thinking after all: it was streamed as text, since nobody could
// know, but it is neither kept as text nor sent back.
func (s *splitter) toggle(tag string) {
	if tag == answerMark.open || tag == answerMark.close {
		s.in, s.last, s.final = "", 0, true
		return
	}
	if s.in == "" && strings.HasPrefix(tag, "</") {
		s.think.WriteString(s.text.String())
		s.text.Reset()
		s.thought = true
	}
	s.in, s.last = "", 0
	for _, m := range marks {
		if tag == m.open {
			s.in, s.thought = m.close, true
		}
	}
}

// next finds the first tag that matters now. It is not sure of one when the
// input ends within it.
func (s *splitter) next(in string) (at int, tag string, sure bool) {
	for i := 0; i < len(in); i++ {
		if in[i] != '<' || s.in == "" && s.quoted(in, i) {
			continue
		}
		for _, t := range s.wanted() {
			if strings.HasPrefix(in[i:], t) {
				return i, t, true
			}
			if strings.HasPrefix(t, in[i:]) {
				return i, t, false
			}
		}
	}
	return -1, "", false
}

// quoted reports whether a quote or backtick stands before in[i].
func (s *splitter) quoted(in string, i int) bool {
	before := s.last
	if i > 0 {
		before = in[i-1]
	}
	return before == '`' || before == '"' || before == '\''
}

// wanted are the tags that change the state now: the close tag within thinking,
// else every open tag, and a close tag that has no open one (the template had
// put that into the prompt).
func (s *splitter) wanted() []string {
	var out []string
	switch {
	case s.in != "" && s.tagged: // the answer begins, though thinking was never closed
		return []string{s.in, answerMark.open}
	case s.in != "":
		return []string{s.in}
	case s.tagged:
		out = append(out, answerMark.open, answerMark.close)
	}
	for _, m := range marks {
		out = append(out, m.open, m.close)
	}
	return out
}

// emit sorts a piece. White space between thinking and text belongs to neither.
func (s *splitter) emit(piece string, ts, ks *strings.Builder) {
	if piece == "" {
		return
	}
	s.last = piece[len(piece)-1]
	if s.in != "" {
		s.think.WriteString(piece)
		ks.WriteString(piece)
		return
	}
	if s.text.Len() == 0 && (s.thought || s.final) {
		piece = strings.TrimLeft(piece, " \t\r\n")
	}
	s.text.WriteString(piece)
	ts.WriteString(piece)
}

// rescue finds a call that a model wrote while it was still thinking and never
// came out of it. Only a call at the very end of the thinking counts, and only in
// tags, which nobody writes by accident.
func rescue(think string) (call, rest string) {
	trimmed := strings.TrimSpace(think)
	if !strings.HasSuffix(trimmed, "</tool_call>") {
		return "", think
	}
	at := len(trimmed)
	for {
		head := strings.TrimSpace(trimmed[:at])
		i := strings.LastIndex(head, "<tool_call>")
		if !strings.HasSuffix(head, "</tool_call>") || i < 0 {
			break
		}
		at = i
	}
	return trimmed[at:], strings.TrimSpace(trimmed[:at])
}
