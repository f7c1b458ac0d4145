package policy

import (
	"strings"

	"hardshell/policy/wording"
)

// Setting asks to set a conversation's model and what is shown of its thinking, never
// the config; an empty field stays as it is.
type Setting struct {
	Model     string `json:"model,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
}

var _ Kind = (*Setting)(nil)

// Name is setting.
func (*Setting) Name() string { return "setting" }

// Subject says what is set to what.
func (s *Setting) Subject() string {
	var out []string
	for _, one := range []struct{ name, value string }{{"model", s.Model}, {"reasoning", s.Reasoning}} {
		if one.value != "" {
			out = append(out, "set "+one.name+" to "+wording.Word(one.value))
		}
	}
	return strings.Join(out, ", ")
}

// Command is nil: it starts none.
func (*Setting) Command() *Exec { return nil }

// Binds the arguments.
func (*Setting) Binds() Binding { return BindArguments }

// Standing is false: a person has to be there each time.
func (*Setting) Standing() bool { return false }

func (s *Setting) fields() any {
	return struct {
		Setting *Setting `json:"setting"`
	}{s}
}

// judge allows it while a person is there, who reads of it at once and can take it
// back. A run on its own could leave the next person with a model that they did not
// choose.
func (s *Setting) judge(ev *evaluation) {
	const rule = "builtin.setting"
	if !ev.facts.Attended || ev.facts.Run != "chat" {
		ev.deny(rule, "a conversation's model and reasoning are set only while a person is there to see it", "go on with what is set, and tell the person")
		return
	}
	ev.add(match{rule: rule, verdict: Allow, why: "a person is there, reads of it and can take it back", reason: "sets what this conversation has of its own, with a person present"})
}

// Look asks to read the agent's own state or the board's sensors. It changes nothing.
type Look struct{}

var _ Kind = Look{}

// Name is status.
func (Look) Name() string { return "status" }

// Subject is empty: the tool says all.
func (Look) Subject() string { return "" }

// Command is nil: it starts none.
func (Look) Command() *Exec { return nil }

// Binds the arguments.
func (Look) Binds() Binding { return BindArguments }

// Standing is false: nobody is asked.
func (Look) Standing() bool { return false }

func (Look) fields() any { return struct{}{} }

func (Look) judge(ev *evaluation) {
	ev.add(match{rule: "builtin.status", verdict: Allow, why: "looking at the agent's own state changes nothing", reason: "reads the agent's own state and changes nothing"})
}

// Plan asks to write down a conversation's plan, which nothing acts on.
type Plan struct{}

var _ Kind = Plan{}

// Name is plan.
func (Plan) Name() string { return "plan" }

// Subject is empty: the tool says all.
func (Plan) Subject() string { return "" }

// Command is nil: it starts none.
func (Plan) Command() *Exec { return nil }

// Binds the arguments: the plan is text.
func (Plan) Binds() Binding { return BindArguments }

// Standing is false: nobody is asked.
func (Plan) Standing() bool { return false }

func (Plan) fields() any { return struct{}{} }

func (Plan) judge(ev *evaluation) {
	ev.add(match{rule: "builtin.plan", verdict: Allow, why: "a plan is text that nothing acts on", reason: "writes down the conversation's plan"})
}
