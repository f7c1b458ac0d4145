package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
)

// logLines is how many lines of an output are shown unless a person wants others.
const logLines = 40

func processLogCommand() subcommand {
	var of address
	var from int
	lines := logLines
	return subcommand{
		name: "process log", args: "ID", short: "what a command in the background wrote",
		long: `
Prints the last lines of what a command in the background wrote, while it runs and
afterwards; with --from the lines from that one on. The model does not learn of it.

  agent process log p3
  agent process log -n 200 --from 1 p3
`,
		flags: func(fs *flag.FlagSet) {
			of.registerAgent(fs)
			fs.IntVar(&from, "from", 0, "`line` to begin with, counted from 1; the last lines unless given")
			fs.IntVar(&lines, "n", lines, "`number` of lines")
		},
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 1 {
				return usageError("agent process list shows the ids", "process log wants one ID")
			}
			if lines < 1 || from < 0 {
				return usageError("give numbers from 1", "-n %d --from %d names no lines", lines, from)
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return showProcessLog(ctx, inv, h, gateway.ProcessQuery{Agent: of.agent, ID: inv.args[0], From: from, Lines: lines})
		},
	}
}

// showProcessLog prints lines of an output, and which they are.
func showProcessLog(ctx context.Context, inv *invocation, l *link, q gateway.ProcessQuery) error {
	t, err := ask(ctx, l, gateway.ProcessLog, q)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, t)
		return nil
	}
	text := term.Foreign(t.Text)
	io.WriteString(inv.stdout, text)
	if text != "" && text[len(text)-1] != '\n' {
		fmt.Fprintln(inv.stdout)
	}
	fmt.Fprintf(inv.stderr, "%s %s; %s\n", term.Mark, term.OneLine(t.Process.Line(), 300), term.OneLine(t.Says, 300))
	return nil
}
