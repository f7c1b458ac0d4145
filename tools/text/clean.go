package text

import (
	"strings"
	"unicode/utf8"

	"hardshell/policy/wording"
)

// Clean strips from a text whatever could steer a terminal or hide from the
// reader: escape sequences (CSI, OSC, DCS and their kin), C0 and C1 controls
// besides newline and tab, DEL, marks that turn the direction of writing, and
// characters without width. Bytes that are no UTF-8 become U+FFFD. A carriage
// return becomes a newline, so that nothing can be written over.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var c cleaner
	var b strings.Builder
	b.Grow(len(s))
	c.write(&b, []byte(s))
	c.end(&b)
	return b.String()
}

// plain reports a text that has nothing to strip: the common case, at no cost.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// mode is where in an escape sequence a cleaner stands.
type mode uint8

const (
	text    mode = iota
	escaped      // after ESC
	inter        // after ESC and an intermediate byte
	csi          // after ESC [
	str          // in a string sequence, until BEL or ST
	strEsc       // in a string sequence, after ESC
)

// maxString bounds a string sequence: text that follows an unclosed one shows
// again after this many characters.
const maxString = 4096

// cleaner strips a stream. Sequences and characters may be cut anywhere between
// two writes.
type cleaner struct {
	mode    mode
	length  int    // characters of the string sequence so far
	dcs     bool   // that sequence may hold newlines; others end there
	cr      bool   // the last character was a carriage return
	partial []byte // start of a UTF-8 character
	// repaired counts bytes that were no UTF-8.
	repaired int
}

// write strips p and appends what remains.
func (c *cleaner) write(out *strings.Builder, p []byte) {
	if len(c.partial) > 0 {
		p = append(c.partial, p...)
		c.partial = nil
	}
	for len(p) > 0 {
		if !utf8.FullRune(p) {
			c.partial = append([]byte(nil), p...)
			return
		}
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 {
			if c.mode == text {
				c.repaired++
			}
		}
		p = p[n:]
		c.step(out, r)
	}
}

// end closes the stream: half a character becomes U+FFFD.
func (c *cleaner) end(out *strings.Builder) {
	for range c.partial {
		c.repaired++
		c.step(out, utf8.RuneError)
	}
	c.partial = nil
	if c.cr {
		c.cr = false
		out.WriteByte('\n')
	}
}

// step takes one character through the state machine.
func (c *cleaner) step(out *strings.Builder, r rune) {
	switch c.mode {
	case escaped:
		c.afterEscape(r)
	case inter:
		if r < 0x20 || r > 0x2f {
			c.mode = text
		}
		c.restart(r)
	case csi:
		if r >= 0x40 || r < 0x20 {
			c.mode = text
		}
		if r == '\n' { // no sequence goes over a line: it was never closed
			c.plainText(out, r)
		}
		c.restart(r)
	case str, strEsc:
		c.inString(r)
		if r == '\n' && !c.dcs {
			c.mode = text
			c.plainText(out, r)
		}
	default:
		c.plainText(out, r)
	}
}

// afterEscape looks at the character behind ESC.
func (c *cleaner) afterEscape(r rune) {
	switch {
	case r == '[':
		c.mode = csi
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		c.mode, c.length, c.dcs = str, 0, r == 'P'
	case r >= 0x20 && r <= 0x2f:
		c.mode = inter
	case r == 0x1b: // stays
	default:
		c.mode = text
	}
}

// restart lets a control character in the middle of a sequence begin a new one.
func (c *cleaner) restart(r rune) {
	switch r {
	case 0x1b:
		c.mode = escaped
	case 0x9b:
		c.mode = csi
	}
}

// inString waits for the end of a string sequence.
func (c *cleaner) inString(r rune) {
	c.length++
	switch {
	case r == 0x07 || r == 0x9c || c.mode == strEsc && r == '\\' || c.length > maxString:
		c.mode = text
	case r == 0x1b:
		c.mode = strEsc
	default:
		c.mode = str
	}
}

func (c *cleaner) plainText(out *strings.Builder, r rune) {
	if c.cr {
		c.cr = false
		out.WriteByte('\n')
		if r == '\n' {
			return
		}
	}
	switch {
	case r == '\n' || r == '\t':
		out.WriteRune(r)
	case r == '\r':
		c.cr = true
	case r == 0x1b:
		c.mode = escaped
	case r == 0x9b:
		c.mode = csi
	case r == 0x9d || r == 0x90 || r == 0x98 || r == 0x9e || r == 0x9f:
		c.mode, c.length, c.dcs = str, 0, r == 0x90
	case r < 0x20 || r >= 0x7f && r <= 0x9f:
	case wording.Hidden(r):
	default:
		out.WriteRune(r)
	}
}

// Excerpt is the beginning of a foreign text as one harmless line: the first most
// characters of it, with "…" behind them where there are more.
func Excerpt(text string, most int) string {
	r := []rune(strings.Join(strings.Fields(Clean(text)), " "))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}

// Head is the first bytes of a text, as many as given at most, cut between characters.
func Head(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes]
}

// Short keeps a quotation of what a model wrote to a few words.
func Short(s string) string {
	const most = 40
	if len(s) <= most {
		return Clean(s)
	}
	return Clean(strings.ToValidUTF8(s[:most], "")) + "…"
}
