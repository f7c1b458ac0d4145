package tools

import (
	"testing"

	"hardshell/policy"
)

// rounder asks for more with each round, as policy does for patterns.
type rounder struct {
	fakePolicy
	rounds int
}

func (p *rounder) Try(a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects) {
	p.rounds++
	files, known := f.Globs["*.txt"]
	if !known {
		return policy.Decision{}, policy.Subjects{Globs: []string{"*.txt"}, Programs: []string{"no-such-program"}}
	}
	// One program is asked for ever: it stays unknown.
	return tried(p, policy.Subjects{Paths: files, Programs: []string{"no-such-program"}}, a, f)
}

func (p *rounder) Decide(a policy.Action, f policy.Facts) policy.Decision {
	p.rounds++
	return p.fakePolicy.Decide(a, f)
}

func TestFactsAreLookedUpRoundByRound(t *testing.T) {
	d := newDoor(t)
	d.file(t, "a.txt", "")
	pol := &rounder{}
	d.cfg.Policy = func() Policy { return pol }
	d.call(t, "exec", `{"argv":["cat"]}`)
	f := pol.facts[0]
	diff(t, "globs", f.Globs, map[string][]string{"*.txt": {"a.txt"}})
	diff(t, "paths", f.Paths, map[string]policy.Path{"a.txt": {Abs: d.dir + "/a.txt", Real: d.dir + "/a.txt", Exists: true, Kind: "file"}})
	diff(t, "programs", f.Programs, map[string]policy.Program{})
	diff(t, "rounds", pol.rounds, 3)
}
