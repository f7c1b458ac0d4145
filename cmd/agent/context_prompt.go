package main

import (
	"context"
	"flag"
	"fmt"

	"hardshell/runtime"
)

func contextPromptCommand() command {
	var q runtime.ViewQuery
	return command{
		name: "context prompt", short: "the prompt itself, byte for byte",
		long: `
Prints the system text, the tool array and the turn context as they are sent; the
system text is the same for every kind of run.

  agent context prompt --mode full --run chat
  agent context prompt --json --mode minimal --run cron
`,
		flags: func(fs *flag.FlagSet) {
			fs.StringVar(&q.Session, "session", "", "the prompt that this conversation has frozen")
			fs.StringVar(&q.Mode, "mode", "", "`full`, minimal or none")
			fs.StringVar(&q.Run, "run", "", "`chat`, cron, heartbeat, wake or announce")
		},
		run: func(ctx context.Context, c *call) error {
			if err := c.noArgs("context prompt"); err != nil {
				return err
			}
			h, err := c.connect(ctx)
			if err != nil {
				return err
			}
			defer h.Close()
			return c.showPrompt(ctx, h, q)
		},
	}
}

// showPrompt prints a prompt.
func (c *call) showPrompt(ctx context.Context, agent looker, q runtime.ViewQuery) error {
	v, err := agent.View(ctx, q)
	if err != nil {
		return err
	}
	if c.json {
		printJSON(c.stdout, v)
		return nil
	}
	fmt.Fprintf(c.stdout, "%s\n", foreign(v.System))
	fmt.Fprintf(c.stdout, "\n--- tools ---\n%s\n", foreign(string(v.Tools)))
	if v.TurnContext != "" {
		fmt.Fprintf(c.stdout, "\n--- turn context ---\n%s\n", foreign(v.TurnContext))
	}
	c.viewNotices(v)
	return nil
}
