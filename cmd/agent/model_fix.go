package main

import (
	"context"
	"errors"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
	"hardshell/runtime/model/template"
)

func modelFixCommand() subcommand {
	return subcommand{
		name: "model fix", args: "[NAME]", short: "make a sibling of a model that keeps its cache",
		long: `
Makes a model beside NAME that has the same weights and a template which keeps the
prompt cache from turn to turn, and proves that it does. The model itself stays as
it is; an older sibling of that name is replaced. Refused, with the reason, for a
model that is rendered inside the server and for one whose marks are not known;
a model that keeps its cache already is left alone. NAME is the model in use unless
given.

  agent model fix llama3.1:8b
  agent model use llama3.1:8b-cachesafe
`,
		run: func(ctx context.Context, inv *invocation) error {
			s, err := checkSubject(ctx, inv, "model fix")
			if err != nil {
				return err
			}
			f, err := template.Fix(ctx, s.client, s.info.Name, s.numCtx, s.level)
			var p *event.Problem
			if errors.As(err, &p) && p.Code == "already_safe" {
				f.Model, f.After, err = f.From, f.Before, nil
			}
			if err != nil {
				return err
			}
			showFix(inv, f)
			return nil
		},
	}
}

// showFix prints what a fix did and its proof.
func showFix(inv *invocation, f template.Fixed) {
	if inv.json {
		term.JSON(inv.stdout, f)
		return
	}
	if f.Model == f.From {
		fmt.Fprintf(inv.stdout, "%s keeps its cache from turn to turn: there is nothing to fix\n", term.OneLine(f.From, 200))
		return
	}
	fmt.Fprintf(inv.stdout, "%s was made of %s with the template %s\n", term.OneLine(f.Model, 200), term.OneLine(f.From, 200), f.Family)
	fmt.Fprintf(inv.stdout, "before: %d of %d bytes read again in %d of %d steps\n", lostBytes(f.Before), bytesOf(f.Before), lostSteps(f.Before), len(f.Before.Steps))
	fmt.Fprintf(inv.stdout, "after:  %d of %d bytes read again in %d of %d steps\n", lostBytes(f.After), bytesOf(f.After), lostSteps(f.After), len(f.After.Steps))
	fmt.Fprintf(inv.stderr, "try: agent model use %s\n", term.OneLine(f.Model, 200))
}
