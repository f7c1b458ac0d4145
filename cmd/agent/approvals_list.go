package main

import (
	"context"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/tools/text"
)

func approvalsListCommand() subcommand {
	return subcommand{
		name: "approvals list", short: "the questions that are open now",
		long: `
Lists what the agent waits for: each question with the exact action, the rule that
wants it asked and how long it stays open. Any terminal may answer, the first word
counts.

  agent approvals list
  agent approvals list --json
`,
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("approvals list"); err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return listQuestions(ctx, inv, h, time.Now())
		},
	}
}

// listQuestions prints the open questions.
func listQuestions(ctx context.Context, inv *invocation, l *link, now time.Time) error {
	st, err := ask(ctx, l, gateway.Status, "")
	if err != nil {
		return err
	}
	if inv.json {
		if st.Asked == nil {
			st.Asked = []event.Approval{}
		}
		term.JSON(inv.stdout, struct {
			Approvals []event.Approval `json:"approvals"`
		}{st.Asked})
		return nil
	}
	rows := [][]string{{"ID", "TOOL", "RULE", "OPEN FOR", "MAY BE", "ACTION"}}
	for _, a := range st.Asked {
		words := "once, session, deny"
		if a.Standing {
			words = "once, session, always, deny"
		}
		rows = append(rows, []string{a.ID, a.Tool, term.OrNone(a.Rule), text.Span(max(0, a.Deadline.Sub(now)).Round(time.Second)), words, actionOf(a.Agent, a.Subject)})
	}
	term.Actions(inv.stdout, inv.stderr, rows, "no question is open")
	return nil
}

// actionOf is an action as a person reads it in a list, with the agent that wants
// it unless that is main.
func actionOf(agent, subject string) string {
	if agent == "" {
		return subject
	}
	return "agent " + agent + ": " + subject
}
