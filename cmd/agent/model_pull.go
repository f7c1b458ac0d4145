package main

import (
	"context"
	"fmt"
)

func modelPullCommand() command {
	return command{
		name: "model pull", args: "NAME", short: "have the server download a model",
		long: `
Asks the model server to download a model and shows how far it is. It needs the
network, on the server's side. Nothing is ever downloaded unasked.

  agent model pull qwen3:4b
`,
		run: func(ctx context.Context, c *call) error {
			if len(c.args) != 1 || c.args[0] == "" {
				return usageError("for example: agent model pull qwen3:4b", "model pull wants one NAME")
			}
			_, client, err := c.modelServer()
			if err != nil {
				return err
			}
			p := progress{c: c, tty: isTerminal(c.stderr)}
			if err := client.Pull(ctx, c.args[0], p.step); err != nil {
				p.end()
				return err
			}
			p.end()
			if c.json {
				printJSON(c.stdout, struct {
					Pulled string `json:"pulled"`
				}{c.args[0]})
				return nil
			}
			fmt.Fprintf(c.stdout, "%s is there\n", oneLine(c.args[0], 200))
			return nil
		},
	}
}

// progress shows how far a download is: one line that is rewritten in place at a
// terminal, else one line for each new step and tenth.
type progress struct {
	c      *call
	tty    bool
	status string
	tenth  int64
	open   bool
}

// step shows the server's word on what it does.
func (p *progress) step(status string, done, total int64) {
	tenth := int64(0)
	line := oneLine(status, 80)
	if total > 0 {
		tenth = done * 10 / total
		line = fmt.Sprintf("%s %d%% of %.1f MB", line, done*100/total, float64(total)/1e6)
	}
	switch {
	case p.tty:
		fmt.Fprintf(p.c.stderr, "\r\x1b[K%s %s", mark, line)
		p.open = true
	case status != p.status || tenth != p.tenth:
		fmt.Fprintf(p.c.stderr, "%s %s\n", mark, line)
	}
	p.status, p.tenth = status, tenth
}

// end closes the line that was rewritten in place.
func (p *progress) end() {
	if p.open {
		fmt.Fprintln(p.c.stderr)
	}
}
