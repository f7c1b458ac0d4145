package rig

import (
	"fmt"
	"strings"
	"time"
)

// console is what a machine said.
type console struct {
	kernel, lsm string
	steps       []ended
	// broken says why the plan did not come to its end, empty when it did.
	broken string
	// loose is what was said outside of the steps: by the kernel and the emulator.
	loose string
	// raw is all of it.
	raw string
}

// ended is a step that came to its end.
type ended struct {
	name   string
	status int
	took   time.Duration
	text   string
}

// read takes the console's text apart.
func read(text string) console {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	c := console{raw: text, broken: "the machine stopped before its plan's end"}
	var open string
	var said strings.Builder
	for line := range strings.Lines(text) {
		_, after, ok := strings.Cut(line, Mark)
		if !ok {
			said.WriteString(line)
			continue
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(after), " ")
		switch verb {
		case "boot":
			c.kernel, c.lsm, _ = strings.Cut(rest, " ")
		case "begin":
			c.loose += said.String()
			said.Reset()
			open = rest
		case "end":
			e := ended{text: said.String()}
			var ms int64
			if _, err := fmt.Sscan(rest, &e.name, &e.status, &ms); err != nil || e.name != open {
				c.broken = fmt.Sprintf("the machine said %q while %q ran", strings.TrimSpace(after), open)
				return c
			}
			e.took = time.Duration(ms) * time.Millisecond
			c.steps = append(c.steps, e)
			said.Reset()
			open = ""
		case "broken":
			c.broken = rest
		case "off":
			c.broken = ""
		}
	}
	if open != "" {
		c.broken += " while " + open + " ran"
	}
	c.loose += said.String()
	return c
}
