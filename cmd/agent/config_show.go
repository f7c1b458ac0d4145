package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
)

func configShowCommand() command {
	return command{
		name: "config show", short: "every setting in force and where it came from",
		long: `
Prints every setting as TOML with its origin behind it: default, a line of the
config file, an environment variable or a flag. Secrets are hidden.

  agent config show
  agent config show --json
`,
		run: func(_ context.Context, c *call) error {
			if err := c.noArgs("config show"); err != nil {
				return err
			}
			cfg, err := c.load()
			if err != nil {
				return err
			}
			if c.json {
				term.JSON(c.stdout, struct {
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
			fmt.Fprintf(c.stdout, "# config file: %s\n%s", file, term.Foreign(cfg.TOML()))
			v := term.NewVoice(c.stdout, c.stderr, c.getenv)
			for _, n := range app.Warnings(cfg) {
				v.Notice(n)
			}
			return nil
		},
	}
}
