package runtime

import (
	"fmt"
	"strings"

	"hardshell/runtime/event"
)

// A session's id names its agent: "work" is one of the agent main, "night/work"
// one of the agent night. No name of a session or an agent holds a slash, so that
// two agents never share a session.

// SessionOf is the id of a session: of one that an agent calls by name, or of its
// main one where name is empty. An empty agent is main.
func SessionOf(agent, name string) string {
	if name == "" {
		name = MainSession
	}
	if agent == "" || agent == event.MainAgent {
		return name
	}
	return agent + "/" + name
}

// Owner is the agent of a session and what that agent calls it. An empty id is the
// main session of the agent main.
func Owner(id string) (agent, name string) {
	agent, name, ok := strings.Cut(id, "/")
	if !ok {
		agent, name = event.MainAgent, id
	}
	if name == "" {
		name = MainSession
	}
	return agent, name
}

// own is the id of one of this agent's sessions; empty stands for its main one.
func (a *Agent) own(id string) string {
	if id == "" {
		return SessionOf(a.cfg.ID, "")
	}
	return id
}

// foreign refuses a session of another agent, nil where it is this one's.
func (a *Agent) foreign(id string) *event.Problem {
	if agent, _ := Owner(id); agent == a.cfg.ID {
		return nil
	}
	return &event.Problem{
		Code: "bad_session", Message: fmt.Sprintf("session %q is none of agent %q", id, a.cfg.ID),
		Hint: "a session of another agent is AGENT/NAME, as agent sessions list prints it",
	}
}
