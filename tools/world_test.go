package tools_test

import (
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// rounder asks for more with each round, as policy does for patterns.
type rounder struct {
	toolstest.Policy
	rounds int
}

func (p *rounder) Try(a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects) {
	p.rounds++
	files, known := f.Globs["*.txt"]
	if !known {
		return policy.Decision{}, policy.Subjects{Globs: []string{"*.txt"}, Programs: []string{"no-such-program"}}
	}
	// One program is asked for ever: it stays unknown.
	return toolstest.Tried(p, policy.Subjects{Paths: files, Programs: []string{"no-such-program"}}, a, f)
}

func (p *rounder) Decide(a policy.Action, f policy.Facts) policy.Decision {
	p.rounds++
	return p.Policy.Decide(a, f)
}

func TestFactsAreLookedUpRoundByRound(t *testing.T) {
	d := newDoor(t)
	d.File(t, "a.txt", "")
	pol := &rounder{}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return pol } })
	d.Do(t, "exec", `{"argv":["cat"]}`)
	f := pol.Facts[0]
	toolstest.Diff(t, "globs", f.Globs, map[string][]string{"*.txt": {"a.txt"}})
	toolstest.Diff(t, "paths", f.Paths, map[string]policy.Path{"a.txt": {Abs: d.Dir + "/a.txt", Real: d.Dir + "/a.txt", Exists: true, Kind: "file"}})
	toolstest.Diff(t, "programs", f.Programs, map[string]policy.Program{})
	toolstest.Diff(t, "rounds", pol.rounds, 3)
}
