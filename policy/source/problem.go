package source

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"hardshell/policy/wording"
)

// Problem is one thing that is wrong with a policy file.
type Problem struct {
	// Line and Column count from 1, the column in characters.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Text says what is wrong and what to write instead.
	Text string `json:"text"`

	source string // the line of the file
	width  int    // characters under the caret
}

// Error is a policy file that was refused, with everything that is wrong
// with it. The policy that was in force before stays in force.
type Error struct {
	File     string    `json:"file"`
	Problems []Problem `json:"problems"`
}

// Error shows every problem, each with its line of the file and a caret under
// the place.
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s\n%4d | %s\n     | ", e.File, p.Line, p.Column, p.Text, p.Line, wording.Plain(p.source))
		for j, c := range []rune(p.source) {
			if j >= p.Column-1 {
				break
			}
			if c != '\t' { // tabs stay tabs, so that the caret stands right at any width
				c = ' '
			}
			b.WriteRune(c)
		}
		b.WriteString(strings.Repeat("^", max(1, p.width)))
	}
	return b.String()
}

// Hint says what to do next.
func (e *Error) Hint() string {
	return "docs/policy.md explains every key; agent init writes the lab policy where there is none"
}

// Span is a stretch of the file, in bytes.
type Span struct{ off, width int }

// problem makes a Problem at a place of src.
func problem(src []byte, at Span, text string) Problem {
	off := min(at.off, len(src))
	start := bytes.LastIndexByte(src[:off], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[off:], '\n'); i >= 0 {
		end = off + i
	}
	line := strings.TrimSuffix(string(src[start:end]), "\r")
	under := src[off:min(off+at.width, end)]
	return Problem{
		Line:   bytes.Count(src[:off], []byte{'\n'}) + 1,
		Column: utf8.RuneCount(src[start:off]) + 1,
		Text:   text, source: line, width: utf8.RuneCount(under),
	}
}

// sortProblems puts problems into the order of the file.
func sortProblems(ps []Problem) {
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Column < ps[j].Column
	})
}
