package prompt

import (
	"slices"

	"hardshell/assembly"
	"hardshell/tools"
)

// Form is which prompt a session has. It is fixed at the session's start.
type Form struct {
	Mode assembly.Mode
	// Tools are the names of the tools that are offered; nil: all that policy offers.
	Tools []string
}

// Whole is the form of an agent's own sessions, of every run kind.
func Whole() Form { return Form{Mode: assembly.Full} }

// SubRun is the run kind of a sub-agent's turns.
const SubRun = "sub"

// Specs are the tools of a form that policy offers now.
func (m *Maker) Specs(f Form) []tools.Spec {
	return slices.DeleteFunc(slices.Clone(m.cfg.Specs()), func(s tools.Spec) bool {
		return f.Tools != nil && !slices.Contains(f.Tools, s.Name)
	})
}

// keptBack are tools that no sub-agent gets: with them it would have sub-agents of
// its own.
var keptBack = []string{"sessions_spawn", "subagents"}

// ForSub is the form of a sub-agent with all the tools that one may have now.
func (m *Maker) ForSub() Form {
	f := Form{Mode: assembly.Minimal, Tools: []string{}}
	for _, s := range m.cfg.Specs() {
		if !slices.Contains(keptBack, s.Name) {
			f.Tools = append(f.Tools, s.Name)
		}
	}
	return f
}
