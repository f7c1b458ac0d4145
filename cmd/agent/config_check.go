package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

func configCheckCommand() subcommand {
	return subcommand{
		name: "config check", short: "look for mistakes in config and policy",
		long: `
Reads the config with environment and flags, and the policy file, and tells
everything that is wrong at once; then it looks where each agent lives, as a start
does. Nothing is started. Exit code 2 when something is wrong.

  agent config check
  agent config check --config lab.toml
`,
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("config check"); err != nil {
				return err
			}
			cfg, err := inv.load()
			if err != nil {
				return err
			}
			pol, none, err := app.LoadPolicy(cfg)
			if err != nil {
				return err
			}
			var notice []event.Notice
			if none != nil {
				notice = append(notice, *none)
			}
			absent, err := app.Check(cfg, pol)
			if err != nil {
				return err
			}
			return showChecked(inv, cfg, pol, append(absent, notice...))
		},
	}
}

// showChecked prints that a config is in order, with its warnings.
func showChecked(inv *invocation, cfg config.Config, pol *policy.Policy, more []event.Notice) error {
	warnings := append(app.Warnings(cfg), more...)
	if inv.json {
		term.JSON(inv.stdout, struct {
			File     string         `json:"file"`
			Policy   string         `json:"policy"`
			Hash     string         `json:"policy_sha256"`
			Warnings []event.Notice `json:"warnings"`
		}{cfg.File, cfg.Policy, pol.Hash(), warnings})
		return nil
	}
	file := cfg.File
	if file == "" {
		file = "no config file, defaults"
	}
	fmt.Fprintf(inv.stdout, "config: %s: in order\npolicy: %s: in order\n", file, cfg.Policy)
	v := term.NewVoice(inv.stdout, inv.stderr, inv.getenv)
	for _, n := range warnings {
		v.Notice(n)
	}
	return nil
}
