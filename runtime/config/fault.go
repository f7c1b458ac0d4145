package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a config.
type Fault struct {
	// Key is the dotted key, empty for a fault of the file as a whole.
	Key string `json:"key,omitempty"`
	// Line and Column count from 1 and say where in the file; 0 when the value
	// came from elsewhere.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Text says what is wrong and what to write instead.
	Text string `json:"text"`

	source string // the line of the file
	width  int    // how many characters the caret underlines
}

// Error is a config that was refused, with everything that is wrong with it.
type Error struct {
	// File is the config file; empty when there was none.
	File     string
	Problems []Fault
}

// Error shows every problem, each with its line of the file and a caret under
// the place.
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		if p.Line > 0 {
			fmt.Fprintf(&b, "%s:%d:%d: ", e.File, p.Line, p.Column)
		} else if e.File != "" && p.Key == "" {
			fmt.Fprintf(&b, "%s: ", e.File)
		}
		b.WriteString(p.Text)
		if p.Line > 0 {
			b.WriteString(p.excerpt())
		}
	}
	return b.String()
}

// sort puts the problems in the order of the file, those from elsewhere last.
func (e *Error) sort() {
	slices.SortStableFunc(e.Problems, func(x, y Fault) int {
		return cmp.Or(cmp.Compare(min(x.Line, 1), min(y.Line, 1))*-1, cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}

// Hint says what to do next.
func (e *Error) Hint() string {
	return "agent config schema lists every key; agent config show prints what is in force"
}

// excerpt is the line of the file with a caret under the place. Tabs stay tabs,
// so that the caret stands right at any tab width.
func (p Fault) excerpt() string {
	pad := make([]rune, p.Column-1)
	line := []rune(p.source)
	for i := range pad {
		pad[i] = ' '
		if i < len(line) && line[i] == '\t' {
			pad[i] = '\t'
		}
	}
	return fmt.Sprintf("\n%4d | %s\n     | %s%s", p.Line, clean(p.source), string(pad), strings.Repeat("^", max(1, p.width)))
}

// clean leaves out what a terminal would act on: a config file may have been
// damaged by anything.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\ufffd') {
			return '?'
		}
		return r
	}, s)
}
