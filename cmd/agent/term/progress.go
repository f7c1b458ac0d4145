package term

import (
	"fmt"
	"io"
)

// Progress shows how far a download is: one line that is rewritten in place at a
// terminal, else one line for each new step and tenth.
type Progress struct {
	out    io.Writer
	tty    bool
	status string
	tenth  int64
	open   bool
}

// NewProgress shows a download on a stream.
func NewProgress(out io.Writer) *Progress { return &Progress{out: out, tty: IsTerminal(out)} }

// Step shows the server's word on what it does.
func (p *Progress) Step(status string, done, total int64) {
	tenth := int64(0)
	line := OneLine(status, 80)
	if total > 0 {
		tenth = done * 10 / total
		line = fmt.Sprintf("%s %d%% of %.1f MB", line, done*100/total, float64(total)/1e6)
	}
	switch {
	case p.tty:
		fmt.Fprintf(p.out, "\r\x1b[K%s %s", Mark, line)
		p.open = true
	case status != p.status || tenth != p.tenth:
		fmt.Fprintf(p.out, "%s %s\n", Mark, line)
	}
	p.status, p.tenth = status, tenth
}

// End closes the line that was rewritten in place.
func (p *Progress) End() {
	if p.open {
		fmt.Fprintln(p.out)
	}
}
