package term

import "unicode/utf8"

// splitter cuts streamed text where it may be cut: never within a control
// sequence or a character, so that cleaning the pieces gives what cleaning the
// whole would. Its idea of a sequence is that of tools.Clean.
type splitter struct{ kept string }

// maxKept is the longest unfinished control sequence that is waited for, in
// bytes. A longer one is an attempt to swallow the text.
const maxKept = 20_000

// next gives what can be shown of the text so far.
func (s *splitter) next(text string) string {
	all := s.kept + text
	at := unfinished(all)
	if len(all)-at > maxKept {
		at = len(all)
	}
	s.kept = all[at:]
	return all[:at]
}

// rest gives what was kept back.
func (s *splitter) rest() string {
	out := s.kept
	s.kept = ""
	return out
}

// unfinished is where the control sequence or character begins that does not end
// within s; len(s) when everything does.
func unfinished(s string) int {
	var q sequence
	for i := 0; i < len(s); {
		if !utf8.FullRuneInString(s[i:]) {
			if q.kind != outside {
				return q.start
			}
			return i
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		q.step(i, r)
		i += n
	}
	switch {
	case q.kind != outside:
		return q.start
	case len(s) > 0 && s[len(s)-1] == '\r': // may be half of a line end
		return len(s) - 1
	}
	return len(s)
}

// where a reader stands.
type where uint8

const (
	outside   where = iota
	escape          // after ESC
	middle          // after ESC and an intermediate character
	control         // in a CSI sequence
	inText          // in a string sequence, until BEL or ST
	inTextEnd       // in a string sequence, after ESC
)

// sequence follows control sequences through a text.
type sequence struct {
	kind   where
	start  int
	length int  // characters of the string sequence so far
	lines  bool // that sequence may go over line ends
}

// Step takes the character that stands at i.
func (q *sequence) step(i int, r rune) {
	switch q.kind {
	case outside:
		q.open(i, r)
	case escape:
		q.afterEscape(r)
	case middle:
		if r < 0x20 || r > 0x2f {
			q.kind = outside
		}
		q.restart(i, r)
	case control:
		if r >= 0x40 || r < 0x20 {
			q.kind = outside
		}
		q.restart(i, r)
	default:
		q.inText(r)
	}
}

// open begins a sequence.
func (q *sequence) open(i int, r rune) {
	switch r {
	case 0x9d, 0x90, 0x98, 0x9e, 0x9f:
		*q = sequence{kind: inText, start: i, lines: r == 0x90}
	default:
		q.restart(i, r)
	}
}

// restart begins a sequence anew in the middle of another.
func (q *sequence) restart(i int, r rune) {
	switch r {
	case 0x1b:
		*q = sequence{kind: escape, start: i}
	case 0x9b:
		*q = sequence{kind: control, start: i}
	}
}

// afterEscape looks at the character behind ESC.
func (q *sequence) afterEscape(r rune) {
	switch {
	case r == '[':
		q.kind = control
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		q.kind, q.length, q.lines = inText, 0, r == 'P'
	case r >= 0x20 && r <= 0x2f:
		q.kind = middle
	case r != 0x1b:
		q.kind = outside
	}
}

// maxText is the length at which an unclosed string sequence counts as ended.
const maxText = 4096

// inText waits for the end of a string sequence.
func (q *sequence) inText(r rune) {
	q.length++
	switch {
	case r == 0x07 || r == 0x9c || q.kind == inTextEnd && r == '\\' || q.length > maxText || r == '\n' && !q.lines:
		q.kind = outside
	case r == 0x1b:
		q.kind = inTextEnd
	default:
		q.kind = inText
	}
}
