package main

import (
	"context"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/approval"
	"hardshell/runtime/gateway"
)

func approvalsGrantsCommand() subcommand {
	return subcommand{
		name: "approvals grants", short: "what was allowed for always",
		long: `
Lists the standing permissions: actions for which a person said always. Each turns
one question into a yes and never touches a refusal.

  agent approvals grants
  agent approvals grants --json
`,
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("approvals grants"); err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return listGrants(ctx, inv, h)
		},
	}
}

// listGrants prints the standing permissions.
func listGrants(ctx context.Context, inv *invocation, l *link) error {
	grants, err := ask(ctx, l, gateway.Grants, gateway.All{})
	if err != nil {
		return err
	}
	if inv.json {
		if grants == nil {
			grants = []approval.Grant{}
		}
		term.JSON(inv.stdout, struct {
			Grants []approval.Grant `json:"grants"`
		}{grants})
		return nil
	}
	rows := [][]string{{"DIGEST", "GIVEN", "BY", "TOOL", "ACTION"}}
	for _, g := range grants {
		rows = append(rows, []string{short(g.Digest), g.Given.Local().Format(time.DateTime), g.By, g.Tool, actionOf(g.Agent, g.Subject)})
	}
	term.Actions(inv.stdout, inv.stderr, rows, "there is no standing permission")
	return nil
}
