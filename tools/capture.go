package tools

import (
	"fmt"
	"strings"

	"hardshell/tools/secret"
)

// sniff is how many of the first bytes decide whether output is text.
const sniff = 4096

// capture turns the raw output of a command into the text that the model gets:
// cleaned across reads, masked, cut; what is no text is counted and sampled.
type capture struct {
	clean    cleaner
	redactor *secret.Redactor
	mask     *secret.Stream
	kept     *cutter
	first    []byte // raw start, for the sample
	nul      bool
	total    int
	say      func(text string)
}

func newCapture(l Limits, m *secret.Redactor, say func(string)) *capture {
	return &capture{kept: newCutter(l), redactor: m, mask: m.Stream(), say: say}
}

// Write takes raw output.
func (c *capture) Write(p []byte) {
	c.total += len(p)
	if room := sniff - len(c.first); room > 0 {
		c.first = append(c.first, p[:min(room, len(p))]...)
	}
	c.nul = c.nul || strings.IndexByte(string(p), 0) >= 0
	var b strings.Builder
	c.clean.write(&b, p)
	c.take(c.mask.Write(b.String()))
}

func (c *capture) take(s string) {
	if s == "" {
		return
	}
	c.kept.WriteString(s)
	if c.say != nil && !c.nul {
		c.say(s)
	}
}

// binary reports output that is no text, as far as it is known.
func (c *capture) binary() bool { return c.nul || binary(c.first) }

// summary stands for output that is no text.
func (c *capture) summary() string {
	first := c.redactor.Redact(string(c.first))
	first = first[:len(first)-c.redactor.Pending(first)] // no start of a secret
	return fmt.Sprintf("binary, %d bytes, starting %s\n", c.total, sample([]byte(first)))
}

// Text closes the stream and gives what the model reads, what was cut, and what
// else there is to say about it.
func (c *capture) Text() (shown, cut, note string) {
	var b strings.Builder
	c.clean.end(&b)
	c.take(c.mask.Write(b.String()) + c.mask.End())
	if c.binary() {
		return c.summary(), "", ""
	}
	if c.clean.repaired > 0 {
		note = fmt.Sprintf("%d bytes were no UTF-8 and are shown as \uFFFD", c.clean.repaired)
	}
	shown, cut = c.kept.Text()
	return shown, cut, note
}
