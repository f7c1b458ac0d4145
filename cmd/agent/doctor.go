package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/doctor"
)

func doctorCommand() command {
	var noModel bool
	return command{
		name: "doctor", short: "what is wrong here, and what to do about it",
		long: `
Looks at config, policy and its waivers, hooks, the sandbox, the audit, the model
server and the model's template, the state folder, the workspace's files and the
skills, and says what is wrong or could be better, gravest first. Nothing is changed. It
works beside a running agent and without one. Exit code 0 when there is nothing to
say, 1 when there is.

  agent doctor
  agent doctor --json
`,
		flags: func(fs *flag.FlagSet) { fs.BoolVar(&noModel, "no-model", false, "leave the model server alone") },
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("doctor"); err != nil {
				return err
			}
			return showFindings(inv, doctor.Look(gatherFacts(ctx, inv, !noModel)))
		},
	}
}

// showFindings prints findings; the error is for any.
func showFindings(inv *invocation, found []doctor.Finding) error {
	switch {
	case inv.json:
		term.JSON(inv.stdout, struct {
			Findings []doctor.Finding `json:"findings"`
		}{found})
	case len(found) == 0:
		fmt.Fprintln(inv.stdout, "nothing to say: everything that was looked at is in order")
	default:
		for i, f := range found {
			if i > 0 {
				fmt.Fprintln(inv.stdout)
			}
			what := strings.ReplaceAll(term.Foreign(f.What), "\n", "\n  ")
			fmt.Fprintf(inv.stdout, "%-8s %s\n  %s\n  why: %s\n  do:  %s\n", f.Level, f.ID, what, term.Foreign(f.Why), term.Foreign(f.Action))
		}
	}
	if len(found) > 0 {
		return &failure{exit: exitFailed, told: true}
	}
	return nil
}
