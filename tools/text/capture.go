package text

import (
	"fmt"
	"strings"

	"hardshell/tools/secret"
)

// Sniff is how many of the first bytes decide whether output is text.
const Sniff = 4096

// Capture turns the raw output of a command into the text that the model gets:
// cleaned across reads, redacted, cut; what is no text is counted and sampled.
type Capture struct {
	clean    cleaner
	redactor *secret.Redactor
	stream   *secret.Stream
	kept     *cutter
	first    []byte // raw start, for the sample
	nul      bool
	Total    int // raw bytes so far
	say      func(text string)
}

// NewCapture takes secrets out of what is written; say, which may be nil, receives text at
// once.
func NewCapture(l Limits, m *secret.Redactor, say func(string)) *Capture {
	return &Capture{kept: newCutter(l), redactor: m, stream: m.Stream(), say: say}
}

// Write takes raw output.
func (c *Capture) Write(p []byte) {
	c.Total += len(p)
	if room := Sniff - len(c.first); room > 0 {
		c.first = append(c.first, p[:min(room, len(p))]...)
	}
	c.nul = c.nul || strings.IndexByte(string(p), 0) >= 0
	var b strings.Builder
	c.clean.write(&b, p)
	c.take(c.stream.Write(b.String()))
}

func (c *Capture) take(s string) {
	if s == "" {
		return
	}
	c.kept.WriteString(s)
	if c.say != nil && !c.nul {
		c.say(s)
	}
}

// Binary reports output that is no text, as far as it is known.
func (c *Capture) Binary() bool { return c.nul || Binary(c.first) }

// Summary stands for output that is no text.
func (c *Capture) Summary() string {
	first := c.redactor.Redact(string(c.first))
	first = first[:len(first)-c.redactor.Pending(first)] // no start of a secret
	return fmt.Sprintf("binary, %d bytes, starting %s\n", c.Total, Sample([]byte(first)))
}

// Limits are the bounds of the text, none of them zero.
func (c *Capture) Limits() Limits { return c.kept.limits }

// Text closes the stream and gives what the model reads, what was cut, and what
// else there is to say about it.
func (c *Capture) Text() (shown, cut, note string) {
	var b strings.Builder
	c.clean.end(&b)
	c.take(c.stream.Write(b.String()) + c.stream.End())
	if c.Binary() {
		return c.Summary(), "", ""
	}
	if c.clean.repaired > 0 {
		note = fmt.Sprintf("%d bytes were no UTF-8 and are shown as \uFFFD", c.clean.repaired)
	}
	shown, cut = c.kept.Text()
	return shown, cut, note
}
