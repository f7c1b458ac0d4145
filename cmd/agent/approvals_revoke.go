package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
)

func approvalsRevokeCommand() command {
	return command{
		name: "approvals revoke", args: "DIGEST", short: "take back what was allowed for always",
		long: `
Takes a standing permission back, by its digest or at least eight characters of its
head, as agent approvals grants shows them. The next such act is a question again.

  agent approvals revoke 3f9a0c17d2be
`,
		run: func(ctx context.Context, c *call) error {
			if len(c.args) != 1 || c.args[0] == "" {
				return usageError("agent approvals grants shows the digests", "approvals revoke wants one DIGEST")
			}
			h, err := c.connect(ctx)
			if err != nil {
				return err
			}
			defer h.Close()
			return c.revokeGrant(ctx, h, c.args[0])
		},
	}
}

// revokeGrant takes one permission back.
func (c *call) revokeGrant(ctx context.Context, agent granter, digest string) error {
	g, err := agent.Revoke(ctx, digest)
	if err != nil {
		return err
	}
	if c.json {
		term.JSON(c.stdout, g)
		return nil
	}
	fmt.Fprintf(c.stdout, "%s is a question again: %s\n", term.OneLine(g.Tool, 40), term.OneLine(g.Subject, 400))
	return nil
}
