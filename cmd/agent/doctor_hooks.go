package main

import (
	"context"
	"os"
	"time"

	"hardshell/cmd/agent/app"
	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/runtime/doctor"
	"hardshell/tools"
	"hardshell/tools/command"
	"hardshell/tools/files"
)

// refusedHooks are the hooks that policy would not let run, with the reason: judged as
// for the main agent, without a profile, and nothing is run. Folders that can't be
// opened are told by others.
func refusedHooks(ctx context.Context, inv *invocation, cfg config.Config, pol *policy.Policy, confined bool) []doctor.Named {
	roots, err := files.NewRoots(cfg.Workspace)
	if err != nil || len(cfg.Hooks) == 0 {
		return nil
	}
	exec := command.NewExecTool(command.ExecConfig{Roots: roots, Timeout: time.Duration(cfg.Exec.Timeout), MaxTimeout: time.Duration(cfg.Exec.MaxTimeout)})
	door := tools.NewRegistry(tools.Config{
		Policy: func() tools.Policy { return pol }, Dir: cfg.Workspace, Confined: confined, Roots: app.Roots(cfg, inv.getenv),
		CommandUID: os.Getuid(), Now: time.Now, Tools: []tools.Tool{exec},
	})
	var out []doctor.Named
	for _, h := range cfg.Hooks {
		if h.Off {
			continue
		}
		d := door.Judge(ctx, tools.Origin{Run: "chat"}, "exec", []byte(object("argv", h.Command)))
		if d.Verdict != policy.Allow {
			out = append(out, doctor.Named{Name: h.Name, Why: d.Reason + " (rule " + d.Rule + ")"})
		}
	}
	return out
}
