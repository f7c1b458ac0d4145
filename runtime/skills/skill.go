package skills

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits of discovery. They keep a folder that is no skills folder from costing
// a start-up.
const (
	maxFile    = 256_000 // bytes of one SKILL.md
	maxDepth   = 6       // folders below a root
	maxFolders = 300     // folders looked into for each root
)

// Skill is one SKILL.md.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Location is the path that the read tool takes.
	Location string `json:"location"`
	Root     string `json:"root"` // workspace, state or bundled
	// Hash is the sha-256 of the file in hex.
	Hash string `json:"sha256"`
	// Invocable says that a person may load it with /skill NAME; Listed that the
	// model sees it in its list.
	Invocable bool  `json:"user_invocable"`
	Listed    bool  `json:"listed"`
	Needs     Needs `json:"requires"`
	// Tools are the tools that the skill works with; empty: any.
	Tools []string `json:"tools,omitempty"`
	// Off says why the skill can't be used; empty when it can.
	Off string `json:"off,omitempty"`
	// Fault says that it is off because its file can't be read as a skill, which
	// somebody has to mend; a gate that is not met is no fault.
	Fault bool `json:"fault,omitempty"`
	// Body is the text below the front matter.
	Body string `json:"-"`
}

// Needs are the gates of a skill: all of them must hold.
type Needs struct {
	Bins   []string `json:"bins,omitempty" yaml:"bins"`
	Env    []string `json:"env,omitempty" yaml:"env"`
	OS     []string `json:"os,omitempty" yaml:"os"`         // any of them
	Board  []string `json:"board,omitempty" yaml:"board"`   // any of them
	Bus    []string `json:"bus,omitempty" yaml:"bus"`       // such as i2c-7
	Pin    []string `json:"pin,omitempty" yaml:"pin"`       // names of lines in the policy
	Config []string `json:"config,omitempty" yaml:"config"` // keys that are set
}

// Place is what the gates are held against.
type Place struct {
	OS, Board string
	// Has reports for a kind of need (bins, env, bus, pin, config) whether a
	// name is there. A nil Has lets nothing through.
	Has func(kind, name string) bool
}

// unmet is the first gate that does not hold, as a reason.
func (n Needs) unmet(p Place) string {
	if len(n.OS) > 0 && !slices.Contains(n.OS, p.OS) {
		return fmt.Sprintf("it is for %s and this is %s", strings.Join(n.OS, " or "), p.OS)
	}
	if len(n.Board) > 0 && !slices.Contains(n.Board, p.Board) {
		return fmt.Sprintf("it is for the board %s and this is %s", strings.Join(n.Board, " or "), cmp.Or(p.Board, "none"))
	}
	for _, need := range []struct {
		kind, says string
		names      []string
	}{
		{"bins", "the program %s is not installed", n.Bins},
		{"env", "the variable %s is not set", n.Env},
		{"bus", "the bus %s is not there", n.Bus},
		{"pin", "the policy names no line %s", n.Pin},
		{"config", "the config key %s is not set", n.Config},
	} {
		for _, name := range need.names {
			if p.Has == nil || !p.Has(need.kind, name) {
				return fmt.Sprintf(need.says, name)
			}
		}
	}
	return ""
}

// Usable are the skills that are on, in the list's order.
func Usable(all []Skill) []Skill {
	return slices.DeleteFunc(slices.Clone(all), func(s Skill) bool { return s.Off != "" })
}

// Find gives a usable skill by its name, whatever the case.
func Find(all []Skill, name string) (Skill, bool) {
	for _, s := range all {
		if s.Off == "" && strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return Skill{}, false
}
