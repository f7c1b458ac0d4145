package runtime

import (
	"context"
	"fmt"

	"hardshell/runtime/event"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// own is the id of one of this agent's sessions; empty stands for its main one.
func (a *Agent) own(id string) string {
	if id == "" {
		return session.Of(a.cfg.ID, "")
	}
	return id
}

// foreign refuses a session of another agent, nil where it is this one's.
func (a *Agent) foreign(id string) *event.Problem {
	if agent, _ := session.Owner(id); agent == a.cfg.ID {
		return nil
	}
	return &event.Problem{
		Code: "bad_session", Message: fmt.Sprintf("session %q is none of agent %q", id, a.cfg.ID),
		Hint: "a session of another agent is AGENT/NAME, as agent sessions list prints it",
	}
}

// SetPlan keeps the plan of a session, one line for each step; an empty one takes it
// away.
func (a *Agent) SetPlan(_ context.Context, id string, steps []string) error {
	s, err := a.session(a.own(id))
	if err != nil {
		return err
	}
	return prompt.SetPlan(s, steps)
}
