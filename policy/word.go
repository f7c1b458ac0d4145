package policy

import (
	"strings"

	"hardshell/policy/wording"
)

// wordKind says how much is known of a word of a command.
type wordKind uint8

const (
	literal wordKind = iota // exactly text
	number                  // some decimal number
	unknown                 // one word, of which only the beginning, text, is known
	several                 // any number of words, nothing known
)

// word is one word of a command as it will reach the program.
type word struct {
	text string
	kind wordKind
}

// literals turns argv into words.
func literals(argv []string) []word {
	ws := make([]word, len(argv))
	for i, a := range argv {
		ws[i] = word{text: a}
	}
	return ws
}

// show is the words as one line, unknown ones as …, for reasons.
func show(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.kind == number:
			b.WriteString("<number>")
		case w.kind != literal:
			b.WriteString(w.text + "…")
		case w.text == "" || strings.ContainsAny(w.text, " \t\n\"'\\$`*?[]|&;<>(){}#~"):
			b.WriteString(wording.Quote(w.text))
		default:
			b.WriteString(w.text)
		}
		if b.Len() > 160 {
			return b.String() + " …"
		}
	}
	return b.String()
}

// unforeseen is true when the word could be more than a number that nobody knows yet.
func (w word) unforeseen() bool { return w.kind == unknown || w.kind == several }

// dashed is true when a program may take the word for a flag.
func (w word) dashed() bool {
	switch w.kind {
	case literal:
		return len(w.text) > 1 && w.text[0] == '-'
	case unknown:
		return w.text == "" || w.text[0] == '-'
	default:
		return w.kind == several
	}
}
