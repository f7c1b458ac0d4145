package argv

import (
	"strings"

	"hardshell/policy/wording"
)

// WordKind says how much is known of a word of a command.
type WordKind uint8

const (
	Literal WordKind = iota // exactly text
	Number                  // some decimal number
	Unknown                 // one word, of which only the beginning, text, is known
	Several                 // any number of words, nothing known
)

// Word is one word of a command as it will reach the program.
type Word struct {
	Text string
	Kind WordKind
}

// MaxWords is how many words of one command are judged.
const MaxWords = 4096

// Literals turns argv into words.
func Literals(argv []string) []Word {
	ws := make([]Word, len(argv))
	for i, a := range argv {
		ws[i] = Word{Text: a}
	}
	return ws
}

// Show is the words as one line, unknown ones as …, for reasons.
func Show(ws []Word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.Kind == Number:
			b.WriteString("<number>")
		case w.Kind != Literal:
			b.WriteString(w.Text + "…")
		case w.Text == "" || strings.ContainsAny(w.Text, " \t\n\"'\\$`*?[]|&;<>(){}#~"):
			b.WriteString(wording.Quote(w.Text))
		default:
			b.WriteString(w.Text)
		}
		if b.Len() > 160 {
			return b.String() + " …"
		}
	}
	return b.String()
}

// Unforeseen is true when the word could be more than a number that nobody knows yet.
func (w Word) Unforeseen() bool { return w.Kind == Unknown || w.Kind == Several }

// Dashed is true when a program may take the word for a flag.
func (w Word) Dashed() bool {
	switch w.Kind {
	case Literal:
		return len(w.Text) > 1 && w.Text[0] == '-'
	case Unknown:
		return w.Text == "" || w.Text[0] == '-'
	default:
		return w.Kind == Several
	}
}
