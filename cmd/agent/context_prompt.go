package main

import (
	"context"
	"flag"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
)

func contextPromptCommand() subcommand {
	var of address
	var mode, run string
	var rendered bool
	return subcommand{
		name: "context prompt", short: "the prompt itself, byte for byte",
		long: `
Prints the system text, the tool array and the turn context as they are sent; the
system text is the same for every kind of run. With --rendered it is the text that
the model server's own template makes of them, with the history of the conversation.

  agent context prompt --mode full --run chat
  agent context prompt --json --mode minimal --run cron
  agent context prompt --rendered --session main
`,
		flags: func(fs *flag.FlagSet) {
			of.register(fs, "the prompt that the conversation of this `name` has frozen")
			fs.StringVar(&mode, "mode", "", "`which` of full, minimal and none")
			fs.BoolVar(&rendered, "rendered", false, "as the model server renders it")
			fs.StringVar(&run, "run", "", "`kind` of run: chat, cron, heartbeat, wake or announce")
		},
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("context prompt"); err != nil {
				return err
			}
			q, err := of.view()
			if err != nil {
				return err
			}
			q.Mode, q.Run, q.Rendered = mode, run, rendered
			h, err := connectToPrompt(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			if q.Rendered {
				return showRendered(ctx, inv, h, q)
			}
			return showPrompt(ctx, inv, h, q)
		},
	}
}

// showPrompt prints a prompt.
func showPrompt(ctx context.Context, inv *invocation, l *link, q runtime.ViewQuery) error {
	v, err := ask(ctx, l, gateway.View, q)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, v)
		return nil
	}
	fmt.Fprintf(inv.stdout, "%s\n", term.Foreign(v.System))
	fmt.Fprintf(inv.stdout, "\n--- tools ---\n%s\n", term.Foreign(string(v.Tools)))
	if v.Format != nil {
		fmt.Fprintf(inv.stdout, "\n--- format ---\n%s\n", term.Foreign(string(v.Format)))
	}
	if v.TurnContext != "" {
		fmt.Fprintf(inv.stdout, "\n--- turn context ---\n%s\n", term.Foreign(v.TurnContext))
	}
	viewNotices(inv, v)
	return nil
}

// showRendered prints a prompt as the model server renders it.
func showRendered(ctx context.Context, inv *invocation, l *link, q runtime.ViewQuery) error {
	v, err := ask(ctx, l, gateway.View, q)
	if err != nil {
		return err
	}
	if v.Rendered == nil {
		return event.Errorf("not_rendered", "use the agent command of the same version as the running agent", "the running agent shows no renderings")
	}
	if p := v.Rendered.Problem; p != nil {
		return &failure{Problem: *p, exit: exitModel}
	}
	if inv.json {
		term.JSON(inv.stdout, v)
		return nil
	}
	fmt.Fprintf(inv.stdout, "%s\n", term.Foreign(v.Rendered.Text))
	viewNotices(inv, v)
	return nil
}
