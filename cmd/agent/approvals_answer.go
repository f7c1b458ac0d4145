package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
)

// byCommand is how an answer that was given with "agent approvals answer" stands
// on record.
const byCommand = "agent approvals"

func approvalsAnswerCommand() subcommand {
	return subcommand{
		name: "approvals answer", args: "ID once|session|always|deny", short: "answer an open question, from any terminal",
		long: `
Gives a person's word on an open question: once for this act, session for the same
act until the agent ends, always for the same act from now on (agent approvals
revoke takes that back), deny for no. The word binds exactly the action that agent
approvals list shows; a question is answered once.

  agent approvals answer a3 once
  agent approvals answer a4 deny
`,
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 2 {
				return usageError("agent approvals list shows the open questions", "approvals answer wants an ID and once, session, always or deny")
			}
			h, err := connectToChange(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return answerQuestion(ctx, inv, h, inv.args[0], inv.args[1])
		},
	}
}

// answerQuestion answers one question.
func answerQuestion(ctx context.Context, inv *invocation, l *link, id, answer string) error {
	if err := l.Answer(ctx, id, answer, byCommand); err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, struct {
			ID     string `json:"id"`
			Answer string `json:"answer"`
		}{id, answer})
		return nil
	}
	fmt.Fprintf(inv.stdout, "question %s: %s\n", term.OneLine(id, 40), answer)
	return nil
}
