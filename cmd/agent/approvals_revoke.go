package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
)

func approvalsRevokeCommand() subcommand {
	return subcommand{
		name: "approvals revoke", args: "DIGEST", short: "take back what was allowed for always",
		long: `
Takes a standing permission back, by its digest or at least eight characters of its
head, as agent approvals grants shows them. The next such act is a question again.

  agent approvals revoke 3f9a0c17d2be
`,
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 1 || inv.args[0] == "" {
				return usageError("agent approvals grants shows the digests", "approvals revoke wants one DIGEST")
			}
			h, err := connectToChange(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return revokeGrant(ctx, inv, h, inv.args[0])
		},
	}
}

// revokeGrant takes one permission back.
func revokeGrant(ctx context.Context, inv *invocation, l *link, digest string) error {
	g, err := ask(ctx, l, gateway.Revoke, digest)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, g)
		return nil
	}
	fmt.Fprintf(inv.stdout, "%s is a question again: %s\n", term.OneLine(g.Tool, 40), term.OneLine(g.Subject, 400))
	return nil
}
