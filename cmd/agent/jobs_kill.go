package main

import (
	"context"
	"flag"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
)

// byJobs is how the end of a command that was asked for with "agent jobs kill" stands
// on record.
const byJobs = "agent jobs kill"

func jobsKillCommand() command {
	var of target
	return command{
		name: "jobs kill", args: "ID", short: "end a command in the background",
		long: `
Ends a command in the background and everything that it started. It needs no model
and no turn; the audit has it, and the conversation that started the command is told.

  agent jobs kill p3
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(ctx context.Context, c *call) error {
			if len(c.args) != 1 {
				return usageError("agent jobs list shows the ids", "jobs kill wants one ID")
			}
			h, err := c.connect(ctx)
			if err != nil {
				return err
			}
			defer h.Close()
			return c.killJob(ctx, h, gateway.JobQuery{Agent: of.agent, ID: c.args[0], By: byJobs})
		},
	}
}

// killJob ends one command.
func (c *call) killJob(ctx context.Context, agent minder, q gateway.JobQuery) error {
	r, err := agent.EndJob(ctx, q)
	if err != nil {
		return err
	}
	if c.json {
		term.JSON(c.stdout, r)
		return nil
	}
	fmt.Fprintln(c.stdout, term.OneLine(r.Line(), 600))
	return nil
}
