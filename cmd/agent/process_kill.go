package main

import (
	"context"
	"flag"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
)

// byKill is how the end of a command that was asked for with "agent process kill" stands
// on record.
const byKill = "agent process kill"

func processKillCommand() subcommand {
	var of address
	return subcommand{
		name: "process kill", args: "ID", short: "end a command in the background",
		long: `
Ends a command in the background and everything that it started. It needs no model
and no turn; the audit has it, and the conversation that started the command is told.

  agent process kill p3
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 1 {
				return usageError("agent process list shows the ids", "process kill wants one ID")
			}
			h, err := connectToChange(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return killProcess(ctx, inv, h, gateway.ProcessQuery{Agent: of.agent, ID: inv.args[0], By: byKill})
		},
	}
}

// killProcess ends one command.
func killProcess(ctx context.Context, inv *invocation, l *link, q gateway.ProcessQuery) error {
	r, err := ask(ctx, l, gateway.EndProcess, q)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, r)
		return nil
	}
	fmt.Fprintln(inv.stdout, term.OneLine(r.Line(), 600))
	return nil
}
