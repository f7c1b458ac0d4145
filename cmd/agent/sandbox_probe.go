package main

import (
	"context"
	"os"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
	"hardshell/sandbox"
)

func sandboxProbeCommand() subcommand {
	return subcommand{
		name: "sandbox probe", short: "what confines commands on this machine, layer by layer",
		long: `
Builds an empty sandbox for the workspace, or for an empty folder before there is
one, as each command gets one, and tells which layers hold. A layer that commands
must have and that is missing keeps them from running, unless sandbox.weaker_ok is
set, which each result then says; for every layer that is missing there is what that
means and what to do. Run it as the user that the agent runs as: the service's own is
hardshell. Exit status 1 says that commands can't run.

  agent sandbox probe
  sudo -u hardshell agent sandbox probe --json
`,
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("sandbox probe"); err != nil {
				return err
			}
			cfg, err := inv.load()
			if err != nil {
				return err
			}
			if _, err := os.Stat(cfg.Workspace); os.IsNotExist(err) {
				if cfg.Workspace, err = os.MkdirTemp("", "hardshell-probe-"); err != nil {
					return err
				}
				defer os.Remove(cfg.Workspace)
			}
			box, err := app.NewBox(cfg, nil)
			if err != nil {
				return err
			}
			defer box.Close()
			r := box.Probe(ctx)
			showLayers(inv, r)
			if !r.Complete() && !r.Weaker {
				return event.Errorf("sandbox_missing", "what to do stands beside each missing layer", "commands can't run here: %s", r.Missing)
			}
			return nil
		},
	}
}

// showLayers prints what holds commands.
func showLayers(inv *invocation, r sandbox.Report) {
	if inv.json {
		term.JSON(inv.stdout, struct {
			sandbox.Report
			Complete bool            `json:"complete"`
			Each     []sandbox.Layer `json:"each"`
		}{r, r.Complete(), r.Each()})
		return
	}
	rows := [][]string{{"LAYER", "STATE", "MUST HOLD", "WHAT IT MEANS"}}
	var notes [][]string
	for _, l := range r.Each() {
		must := "no"
		if l.Mandatory {
			must = "yes"
		}
		rows = append(rows, []string{l.Name, l.State, must, l.Means})
		if l.State == "missing" {
			notes = append(notes, []string{l.Name + ":", l.Why}, []string{"", "to do: " + l.Action})
		}
	}
	term.Table(inv.stdout, rows)
	term.Table(inv.stdout, [][]string{{""}, {r.Kernel + ": " + r.String()}})
	term.Table(inv.stdout, notes)
}
