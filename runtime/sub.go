package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// Task is one piece of work for a sub-agent.
type Task struct {
	// Run names the sub-agent; its session is "sub:" and this name.
	Run string
	// Parent is the session that hands the work out, empty for main. A sub-agent
	// hands nothing out: the depth is 1.
	Parent string
	// Text is the task, Context what the sub-agent has to know besides.
	Text, Context string
	// Tools are the names of the tools that it gets, of those that policy offers;
	// empty: all of them. The list is fixed by the first task of a Run.
	Tools []string
}

// notYours refuses a turn in a sub-agent's session that did not come through Sub.
func notYours(session string) *event.Problem {
	return &event.Problem{
		Code:    "sub_session",
		Message: fmt.Sprintf("%q is a sub-agent's: only the agent itself begins one and hands it work", session),
		Hint:    "ask in a session of another name",
	}
}

// Sub has a sub-agent do a task and gives how it ended. It has a session and a
// prompt of its own (mode minimal), the tools of its list alone, nobody to ask, and
// waits for the model behind everybody else.
func (a *Agent) Sub(ctx context.Context, k Task, sink func(event.Event)) event.End {
	t := a.newTurn(Ask{Session: session.Of(a.cfg.ID, session.SubPrefix+k.Run), Text: k.Text, Run: prompt.SubRun}, sink)
	t.task = &k
	if p := k.check(); p != nil {
		return t.close(event.End{Status: FailedTurn, Error: p})
	}
	if a.cfg.Jobs != nil {
		defer a.cfg.Jobs.EndSession(t.ask.Session)
	}
	return t.through(ctx)
}

// check refuses a task without a name and one of a sub-agent.
func (k Task) check() *event.Problem {
	switch {
	case session.IsSub(k.Parent):
		return &event.Problem{
			Code:    "sub_depth",
			Message: fmt.Sprintf("%s is a sub-agent and can't start another one: the depth is 1", k.Parent),
			Hint:    "do the work in this session, or say in its answer what is left",
		}
	case k.Run == "":
		return &event.Problem{Code: "bad_session", Message: "a sub-agent without a name", Hint: "give each one a name of its own"}
	}
	return nil
}

// form is a sub-agent's prompt with the tools that it gets, of those that it may have:
// those of its session when it has begun, else those of the task.
func (k Task) form(s *session.Session, may []string) (prompt.Form, error) {
	list := k.Tools
	if len(list) == 0 {
		list = may
	}
	for _, name := range list {
		if !slices.Contains(may, name) {
			return prompt.Form{}, &event.Problem{
				Code:    "sub_tools",
				Message: fmt.Sprintf("a sub-agent can't have the tool %q", name),
				Hint:    "it can have " + strings.Join(may, ", "),
			}
		}
	}
	f := prompt.Form{Mode: assembly.Minimal, Tools: inOrder(may, list)}
	frozen, begun := s.Frozen()
	if !begun {
		return f, nil
	}
	has := names(frozen.Offers)
	if len(k.Tools) > 0 && !slices.Equal(has, f.Tools) {
		return prompt.Form{}, &event.Problem{
			Code:    "sub_tools",
			Message: fmt.Sprintf("the tools of %s were fixed at its start: %s", s.ID(), strings.Join(has, ", ")),
			Hint:    "leave the list out, or start a sub-agent of another name",
		}
	}
	f.Tools = has
	return f, nil
}

// inOrder gives the names of list in the order of all, each once.
func inOrder(all, list []string) []string {
	out := []string{}
	for _, name := range all {
		if slices.Contains(list, name) {
			out = append(out, name)
		}
	}
	return out
}

// names are the names of offered tools.
func names(ts []message.Offer) []string {
	out := []string{}
	for _, t := range ts {
		out = append(out, t.Name)
	}
	return out
}
