package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

func configCheckCommand() command {
	return command{
		name: "config check", short: "look for mistakes in config and policy",
		long: `
Reads the config with environment and flags, and the policy file, and tells
everything that is wrong at once; then it looks where each agent lives, as a start
does. Nothing is started. Exit code 2 when something is wrong.

  agent config check
  agent config check --config lab.toml
`,
		run: func(_ context.Context, c *call) error {
			if err := c.noArgs("config check"); err != nil {
				return err
			}
			cfg, err := c.load()
			if err != nil {
				return err
			}
			pol, none, err := loadPolicy(cfg.Policy, c.named("policy", cfg))
			if err != nil {
				return err
			}
			var notice []event.Notice
			if none != nil {
				notice = append(notice, *none)
			}
			absent, err := housed(cfg, pol)
			if err != nil {
				return err
			}
			return c.checked(cfg, pol, append(absent, notice...))
		},
	}
}

// housed looks where each agent lives, as a start would: its profile, its folder, and
// whether that can be kept apart from what commands must not see. A folder that is not
// there yet is only told.
func housed(cfg config.Config, pol *policy.Policy) (absent []event.Notice, err error) {
	p := &parts{policy: pol}
	for _, id := range cfg.AgentIDs() {
		own, entry, _ := cfg.Of(id)
		if _, err := os.Stat(own.Workspace); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, event.Notice{
				Code: "workspace", Message: fmt.Sprintf("the workspace %s of agent %q does not exist yet", own.Workspace, id), Hint: "agent init --workspace " + own.Workspace,
			})
			if _, err := narrowed(pol, entry); err != nil {
				return nil, err
			}
			continue
		}
		if _, err := p.lodge(cfg, id); err != nil {
			return nil, err
		}
	}
	return absent, nil
}

// checked prints that a config is in order, with its warnings.
func (c *call) checked(cfg config.Config, pol *policy.Policy, more []event.Notice) error {
	warnings := append(warningsOf(cfg), more...)
	if c.json {
		printJSON(c.stdout, struct {
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
	fmt.Fprintf(c.stdout, "config: %s: in order\npolicy: %s: in order\n", file, cfg.Policy)
	v := newVoice(c.stdout, c.stderr, c.getenv)
	for _, n := range warnings {
		v.notice(n)
	}
	return nil
}

// warningsOf are the warnings of a config as events have them, never nil.
func warningsOf(cfg config.Config) []event.Notice {
	out := []event.Notice{}
	for _, w := range cfg.Warnings {
		out = append(out, event.Notice{Code: "config", Message: w.Message, Hint: w.Hint})
	}
	return out
}
