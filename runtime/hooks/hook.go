package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"hardshell/runtime/event"
	"hardshell/tools"
)

// On says when a hook runs.
type On string

// The events, as config and programs name them.
const (
	Bootstrap On = "agent:bootstrap"     // a session's prompt is made
	Turn      On = "before_prompt_build" // a message is about to be sent
)

// Hook is one program of the operator.
type Hook struct {
	Name string
	On   On
	// Run has the program read an input and gives what it wrote as the text of the
	// result. It goes through the one door; from says for whom.
	Run func(ctx context.Context, from tools.Origin, input string) (tools.Result, error)
}

// About is what every hook is told.
type About struct {
	Agent     string
	Session   string
	Turn      string // empty while a prompt is made
	Run       string // chat, cron, heartbeat, wake, announce, sub
	Workspace string
}

// about is About on the wire.
type about struct {
	Version   int    `json:"version"`
	Event     On     `json:"event"`
	Agent     string `json:"agent"`
	Session   string `json:"session"`
	Run       string `json:"run"`
	Workspace string `json:"workspace"`
}

// version is the form of input and answer.
const version = 1

func (a About) wire(on On) about {
	return about{Version: version, Event: on, Agent: a.Agent, Session: a.Session, Run: a.Run, Workspace: a.Workspace}
}

// of are the hooks of one event, in their order.
func of(all []Hook, on On) []Hook {
	var out []Hook
	for _, h := range all {
		if h.On == on {
			out = append(out, h)
		}
	}
	return out
}

// ask runs a hook and reads its answer into out.
func (h Hook) ask(ctx context.Context, a About, input, out any) error {
	b, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("write the input of hook %s: %w", h.Name, err)
	}
	res, err := h.Run(ctx, tools.Origin{Agent: a.Agent, Session: a.Session, Turn: a.Turn, Run: "hook"}, string(b))
	switch {
	case err != nil:
		return err
	case res.Outcome == tools.Refused:
		return h.refused(res)
	case res.Outcome != tools.OK:
		return h.failed(strings.TrimPrefix(res.Text, "failed: "))
	}
	if err := read(res.Text, out); err != nil {
		return h.failed(err.Error())
	}
	return nil
}

// failed is the problem of a hook that gave no good answer.
func (h Hook) failed(why string) *event.Problem {
	return &event.Problem{
		Code: "hook_failed", Message: fmt.Sprintf("hook %q (%s) failed, so nothing was sent to the model: %s", h.Name, h.On, why),
		Hint: h.without("correct the program"),
	}
}

// refused is the problem of a hook that policy did not let run.
func (h Hook) refused(res tools.Result) *event.Problem {
	return &event.Problem{
		Code:    "hook_failed",
		Message: fmt.Sprintf("policy refused hook %q (%s), so nothing was sent to the model: %s (rule %s)", h.Name, h.On, res.Decision.Reason, res.Decision.Rule),
		Hint:    h.without("add an exec rule for its command to policy.toml, since a hook runs as any command does and nobody is asked"),
	}
}

// without says how to do without the hook.
func (h Hook) without(first string) string {
	return fmt.Sprintf("%s, or write off = true below the [[hook]] named %q in config.toml", first, h.Name)
}
