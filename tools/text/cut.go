package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits bound the text that a model gets from one call. The keys are those of the
// config file.
type Limits struct {
	OutputBytes int // exec.output_bytes
	OutputLines int // exec.output_lines
}

// usualLimits is about 2,000 tokens: a quarter of a small window.
func usualLimits() Limits { return Limits{OutputBytes: 8 << 10, OutputLines: 200} }

// OrDefault fills in what is not set.
func (l Limits) OrDefault() Limits {
	d := usualLimits()
	if l.OutputBytes <= 0 {
		l.OutputBytes = d.OutputBytes
	}
	if l.OutputLines <= 0 {
		l.OutputLines = d.OutputLines
	}
	return l
}

// headShare is the part of the limits that the head of a text gets; the rest goes
// to its tail, where commands say how they ended.
const headShare = 0.6

// cutter keeps the head and the tail of a text of any length in bounded memory and
// says what it left out. It is the only place where output is cut.
type cutter struct {
	limits  Limits
	head    []byte
	tail    []byte // the last bytes behind the head, at most twice what is kept
	bytes   int    // bytes of the whole text
	newline int    // newlines of the whole text
	open    bool   // the text does not end in a newline
}

func newCutter(l Limits) *cutter { return &cutter{limits: l.OrDefault()} }

func (c *cutter) headBytes() int { return int(float64(c.limits.OutputBytes) * headShare) }
func (c *cutter) tailBytes() int { return c.limits.OutputBytes - c.headBytes() }

// WriteString takes more of the text.
func (c *cutter) WriteString(s string) {
	if s == "" {
		return
	}
	c.bytes += len(s)
	c.newline += strings.Count(s, "\n")
	c.open = s[len(s)-1] != '\n'
	if room := c.headBytes() - len(c.head); room > 0 {
		n := min(room, len(s))
		c.head = append(c.head, s[:n]...)
		s = s[n:]
	}
	c.tail = append(c.tail, s...)
	if keep := c.tailBytes(); len(c.tail) > 2*keep {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keep:]...)
	}
}

// lines counts the lines of the whole text.
func (c *cutter) lines() int {
	if c.open {
		return c.newline + 1
	}
	return c.newline
}

// Text gives what is shown, with a mark where something was left out, and the
// sentence that says what and why; empty when nothing was cut.
func (c *cutter) Text() (shown, cut string) {
	head, tail := string(c.head), string(c.tail[max(0, len(c.tail)-c.tailBytes()):])
	lost := len(head)+len(tail) < c.bytes
	if !lost && c.lines() <= c.limits.OutputLines {
		return head + tail, ""
	}
	if lost {
		head, tail = WholeLines(head, tail)
	} else { // by lines alone: split anew
		head, tail = head+tail, head+tail
	}
	h := max(1, int(float64(c.limits.OutputLines)*headShare))
	fewer, last := firstLines(head, h), lastLines(tail, c.limits.OutputLines-h)
	key, limit := "exec.output_bytes", c.limits.OutputBytes
	if len(fewer) < len(head) || len(last) < len(tail) {
		key, limit = "exec.output_lines", c.limits.OutputLines
	}
	head, tail = fewer, last
	cut = fmt.Sprintf("%d of %d bytes and %d of %d lines shown (limit %s = %d)",
		len(head)+len(tail), c.bytes, CountLines(head)+CountLines(tail), c.lines(), key, limit)
	var b strings.Builder
	b.WriteString(head)
	if head != "" && !strings.HasSuffix(head, "\n") {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "[… cut: %s …]\n", cut)
	b.WriteString(tail)
	return b.String(), cut
}

// WholeLines takes the broken line off the end of the head and the start of the
// tail, unless that line is all there is; then the cut falls between characters.
func WholeLines(head, tail string) (string, string) {
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	} else {
		head = trimBroken(head)
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i+1 < len(tail) {
		tail = tail[i+1:]
	} else {
		for tail != "" && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
	}
	return head, tail
}

// trimBroken takes half a character off the end.
func trimBroken(s string) string {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

func firstLines(s string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
	}
	return s[:at]
}

func lastLines(s string, n int) string {
	if n <= 0 {
		return ""
	}
	at := len(strings.TrimSuffix(s, "\n"))
	for range n {
		i := strings.LastIndexByte(s[:at], '\n')
		if i < 0 {
			return s
		}
		at = i
	}
	return s[at+1:]
}

// CountLines counts lines, one without its end too.
func CountLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// Shorten cuts a whole text to the limits.
func Shorten(s string, l Limits) (shown, cut string) {
	c := newCutter(l)
	c.WriteString(s)
	return c.Text()
}

// Binary reports bytes that are no text: a NUL, or much that is neither UTF-8 nor
// a control that text uses.
func Binary(p []byte) bool {
	if bytes.IndexByte(p, 0) >= 0 {
		return true
	}
	odd := 0
	for b := p; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && utf8.FullRune(b) || r < 0x20 && !strings.ContainsRune("\n\r\t\b\f\x1b\a", r) {
			odd++
		}
		b = b[n:]
	}
	return odd*10 > 3*len(p)
}

// Sample shows the first bytes of something that is no text.
func Sample(p []byte) string {
	const most = 32
	more := ""
	if len(p) > most {
		p, more = p[:most], " …"
	}
	return fmt.Sprintf("% x%s", p, more)
}

// EndLine ends a text with a newline, unless it is empty.
func EndLine(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// Lines gives the lines from one to another, both counted from 1.
func Lines(s string, from, to int) string {
	s = s[len(firstLines(s, from-1)):]
	return firstLines(s, to-from+1)
}

// Tail is the end of a text: whole lines, where one fits.
func Tail(s string, l Limits) string {
	s = lastLines(s, l.OutputLines)
	if len(s) > l.OutputBytes {
		_, s = WholeLines("", s[len(s)-l.OutputBytes:])
	}
	return s
}
