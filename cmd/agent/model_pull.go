package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
)

func modelPullCommand() command {
	return command{
		name: "model pull", args: "NAME", short: "have the server download a model",
		long: `
Asks the model server to download a model and shows how far it is. It needs the
network, on the server's side. Nothing is ever downloaded unasked.

  agent model pull qwen3:4b
`,
		run: func(ctx context.Context, c *call) error {
			if len(c.args) != 1 || c.args[0] == "" {
				return usageError("for example: agent model pull qwen3:4b", "model pull wants one NAME")
			}
			_, client, err := c.modelServer()
			if err != nil {
				return err
			}
			p := term.NewProgress(c.stderr)
			if err := client.Pull(ctx, c.args[0], p.Step); err != nil {
				p.End()
				return err
			}
			p.End()
			if c.json {
				term.JSON(c.stdout, struct {
					Pulled string `json:"pulled"`
				}{c.args[0]})
				return nil
			}
			fmt.Fprintf(c.stdout, "%s is there\n", term.OneLine(c.args[0], 200))
			return nil
		},
	}
}
