package runtime

import (
	"fmt"

	"hardshell/runtime/event"
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
