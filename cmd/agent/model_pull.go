package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
)

func modelPullCommand() subcommand {
	return subcommand{
		name: "model pull", args: "NAME", short: "have the server download a model",
		long: `
Asks the model server to download a model and shows how far it is. It needs the
network, on the server's side. Nothing is ever downloaded unasked.

  agent model pull qwen3:4b
`,
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 1 || inv.args[0] == "" {
				return usageError("for example: agent model pull qwen3:4b", "model pull wants one NAME")
			}
			_, client, err := modelServer(inv)
			if err != nil {
				return err
			}
			p := term.NewProgress(inv.stderr)
			if err := client.Pull(ctx, inv.args[0], p.Step); err != nil {
				p.End()
				return err
			}
			p.End()
			if inv.json {
				term.JSON(inv.stdout, struct {
					Pulled string `json:"pulled"`
				}{inv.args[0]})
				return nil
			}
			fmt.Fprintf(inv.stdout, "%s is there\n", term.OneLine(inv.args[0], 200))
			return nil
		},
	}
}
