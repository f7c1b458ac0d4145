package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/doctor"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

func doctorCommand() subcommand {
	var noModel, seen bool
	return subcommand{
		name: "doctor", short: "what is wrong here, and what to do about it",
		long: `
Looks at config, policy and its waivers, hooks, the sandbox, the audit, the model
server and the model's template, the state folder, the workspace's files and the
skills, and says what is wrong or could be better, gravest first. Nothing is changed. It
works beside a running agent and without one. Exit code 0 when there is nothing to
say, 1 when there is.

A record of a conversation that could not be read is kept aside and named here, and at
each start, until --seen says that you know of it.

  agent doctor
  agent doctor --json
`,
		flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&noModel, "no-model", false, "leave the model server alone")
			fs.BoolVar(&seen, "seen", false, "what was set aside is known: name it no longer")
		},
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("doctor"); err != nil {
				return err
			}
			if seen {
				return markSeen(ctx, inv)
			}
			return showFindings(inv, doctor.Look(gatherFacts(ctx, inv, !noModel)))
		},
	}
}

// markSeen ends the notices of records that were set aside, and says how many.
func markSeen(ctx context.Context, inv *invocation) error {
	n, err := endNotices(ctx, inv)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, struct {
			Seen int `json:"seen"`
		}{n})
		return nil
	}
	fmt.Fprintf(inv.stdout, "%s kept aside, named no longer\n", term.Counted(n, "record"))
	return nil
}

// endNotices has the agent that runs do it; where none runs, this process does.
func endNotices(ctx context.Context, inv *invocation) (int, error) {
	set, err := inv.reach()
	if err != nil {
		return 0, err
	}
	client, _, err := app.Dial(ctx, set.Config)
	if err == nil {
		defer client.Close()
		return gateway.MarkSeen.Ask(ctx, client, gateway.All{})
	}
	other := app.OtherOwnerOf(set.State)
	switch {
	case gateway.Unresponsive(err):
		return 0, err
	case other != nil:
		return 0, other.Unreached(app.Socket(set.Config))
	case set.wrong != nil:
		return 0, set.wrong
	}
	st, err := store.Open(set.State, store.Options{})
	if err != nil {
		return 0, err
	}
	n, err := st.MarkSeen()
	return n, errors.Join(err, st.Close())
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
