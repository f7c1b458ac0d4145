package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
)

func configShowCommand() subcommand {
	return subcommand{
		name: "config show", short: "every setting in force and where it came from",
		long: `
Prints every setting as TOML with its origin behind it: default, a line of the
config file, an environment variable or a flag. Secrets are hidden.

  agent config show
  agent config show --json
`,
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("config show"); err != nil {
				return err
			}
			cfg, err := inv.load()
			if err != nil {
				return err
			}
			if inv.json {
				term.JSON(inv.stdout, struct {
					File   string            `json:"file"`
					Values map[string]any    `json:"values"`
					From   map[string]string `json:"from"`
				}{cfg.File, cfg.Values(), cfg.Origins()})
				return nil
			}
			file := cfg.File
			if file == "" {
				file = "none, defaults"
			}
			fmt.Fprintf(inv.stdout, "# config file: %s\n%s", file, term.Foreign(cfg.TOML()))
			v := term.NewVoice(inv.stdout, inv.stderr, inv.getenv)
			for _, n := range app.Warnings(cfg) {
				v.Notice(n)
			}
			return nil
		},
	}
}
