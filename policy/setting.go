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
