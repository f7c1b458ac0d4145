package main

import (
	"context"
	"flag"
	"strconv"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
	"hardshell/tools/command"
)

func processListCommand() subcommand {
	var of address
	return subcommand{
		name: "process list", short: "the commands in the background",
		long: `
Lists the commands that the agent runs in the background, of every conversation,
and those that have ended and are still known: how each stands or ended, and how
many bytes it wrote.

  agent process list
  agent process list --agent night --json
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("process list"); err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return listProcesses(ctx, inv, h, of.agent)
		},
	}
}

// listProcesses prints the commands in the background.
func listProcesses(ctx context.Context, inv *invocation, l *link, id string) error {
	known, err := ask(ctx, l, gateway.Processes, id)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, struct {
			Processes []command.ProcessRecord `json:"processes"`
		}{known})
		return nil
	}
	rows := [][]string{{"ID", "STATE", "SINCE", "BYTES", "CONVERSATION", "COMMAND"}}
	for _, r := range known {
		state, since := "runs, at most "+r.Limit, r.Began
		if !r.Runs() {
			state, since = r.How, r.Ended
		}
		rows = append(rows, []string{r.ID, state, since.Local().Format(time.DateTime), strconv.FormatInt(r.Bytes, 10), r.Session, r.Subject})
	}
	term.List(inv.stdout, inv.stderr, rows, "no command runs in the background, and none is known to have run")
	return nil
}
