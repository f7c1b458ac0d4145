package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/lookup"
	"hardshell/tools/toolstest"
)

// shelf keeps uses in memory, over the restarts of a test.
type shelf struct {
	mu   sync.Mutex
	kept map[string]json.RawMessage
	full bool
}

func (s *shelf) Uses() (map[string]json.RawMessage, error) { return maps.Clone(s.kept), nil }

func (s *shelf) KeepUses(rule string, at []time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return errors.New("the disk is full")
	}
	b, err := json.Marshal(at)
	if s.kept == nil {
		s.kept = map[string]json.RawMessage{}
	}
	s.kept[rule] = b
	return err
}

// rated is a door under a policy whose one rule, for true, has a rate of 3 an hour.
func rated(t *testing.T, l tools.UsesLedger) *toolstest.Door {
	t.Helper()
	p, err := policy.Parse("p.toml", []byte("version = 1\n[[file]]\nroot = \"workspace\"\nops = [\"read\"]\nwhy = \"w\"\n[[exec]]\nargv = [\"true\"]\nrate = \"3/1h\"\nwhy = \"w\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	uses, err := tools.NewUses(l)
	if err != nil {
		t.Fatal(err)
	}
	d := newDoor(t)
	d.With(func(c *tools.Config) { c.Policy, c.Uses = func() tools.Policy { return p }, uses })
	return d
}

// A restart, however it came, refills no rate.
func TestRateOutlivesARestart(t *testing.T) {
	kept := &shelf{}
	var got []tools.Outcome
	for range 5 {
		got = append(got, rated(t, kept).Do(t, "exec", `{"argv":["true"]}`).Outcome)
	}
	toolstest.Diff(t, "outcomes", got, []tools.Outcome{tools.OK, tools.OK, tools.OK, tools.Refused, tools.Refused})
	var at []time.Time
	if err := json.Unmarshal(kept.kept["exec.true"], &at); err != nil || len(at) != 3 {
		t.Errorf("kept %s: %v", kept.kept, err)
	}
}

// A use that can't be kept is none, and uses that can't be read end the start.
func TestRateThatCannotBeKept(t *testing.T) {
	kept := &shelf{full: true}
	d := rated(t, kept)
	_, err := d.Call(t.Context(), toolstest.Person, tools.Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
	if err == nil || !strings.Contains(err.Error(), "exec.true, which has a rate, can't be kept: the disk is full; exec was not done") || len(d.Launcher.Ran) > 0 {
		t.Errorf("%v, ran %v", err, d.Launcher.Ran)
	}
	if _, err := tools.NewUses(&shelf{kept: map[string]json.RawMessage{"exec.true": json.RawMessage(`"x"`)}}); err == nil || !strings.Contains(err.Error(), "exec.true") {
		t.Error(err)
	}
}

// Calls at the same instant share a rate: policy looks before they act, and looks
// again where one was faster.
func TestRateHoldsForTwinCalls(t *testing.T) {
	d := rated(t, &shelf{})
	results := make([]tools.Outcome, 20)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			res, err := d.Call(t.Context(), toolstest.Person, tools.Call{ID: fmt.Sprint(i), Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
			if err != nil {
				t.Error(err)
			}
			results[i] = res.Outcome
		})
	}
	all.Wait()
	n := map[tools.Outcome]int{}
	for _, r := range results {
		n[r]++
	}
	toolstest.Diff(t, "outcomes", n, map[tools.Outcome]int{tools.OK: 3, tools.Refused: 17})
}

// A rate that was used up while a person thought about the question is used up.
func TestRateAfterALateAnswer(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = func(_ policy.Action, f policy.Facts) policy.Decision {
		if len(f.Used["r"]) > 0 {
			return policy.Decision{Verdict: policy.Deny, Rule: "r", Reason: "used up"}
		}
		return policy.Decision{Verdict: policy.Ask, Rule: "r", Counts: map[string]int{"r": 1}}
	}
	uses := &tools.Uses{}
	d.With(func(c *tools.Config) { c.Uses = uses })
	d.Approver.Answer = tools.AnswerOnce
	d.Approver.Meanwhile = func() {
		if _, err := uses.Take(map[string]int{"r": 1}, toolstest.Noon); err != nil {
			t.Error(err)
		}
	}
	if res := d.Do(t, "exec", `{"argv":["true"]}`); res.Outcome != tools.Refused || !strings.Contains(res.Text, "used up") {
		t.Errorf("%+v", res)
	}
}

// A program that a command starts by itself uses up a rate as a command would.
func TestRateHoldsForProgramStarts(t *testing.T) {
	kept := &shelf{}
	d := rated(t, kept)
	k := d.Begin(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["sh","-c","ls"]}`))
	defer k.Free()
	real, ok := lookup.Program(lookup.SystemDirs(), d.Dir, "true", 0)
	if !ok {
		t.Fatal("no true")
	}
	s := k.Starts(policy.Grants{})
	var got []string
	for range 5 {
		why := ""
		if err := s(tools.Start{Program: real.Real, Argv: []string{"true"}, Dir: d.Dir}); err != nil {
			why = err.Error()
		}
		got = append(got, why)
	}
	no := "rule exec.true; a rule's starts can allow it"
	toolstest.Diff(t, "starts", got, []string{"", "", "", no, no})
	kept.full, kept.kept = true, nil
	full, _ := tools.NewUses(kept)
	d.SetUses(full)
	if err := s(tools.Start{Program: real.Real, Argv: []string{"true"}, Dir: d.Dir}); err == nil || !strings.Contains(err.Error(), "can't be kept: the disk is full") {
		t.Errorf("a use that can't be kept: %v", err)
	}
}

// A command that names a program once and starts it many times, as a script with make
// in it can, has taken one use of its rate.
func TestRateHoldsForProgramsThatTheCommandNames(t *testing.T) {
	d := rated(t, &shelf{})
	k := d.Begin(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"script":"true; env true"}`))
	defer k.Free()
	if err := k.Take(); err != nil {
		t.Fatal(err)
	}
	real, ok := lookup.Program(lookup.SystemDirs(), d.Dir, "true", 0)
	if !ok {
		t.Fatal("no true")
	}
	s := k.Starts(policy.Grants{})
	var got []bool
	if env, ok := lookup.Program(lookup.SystemDirs(), d.Dir, "env", 0); ok {
		toolstest.Diff(t, "a wrapper counts nothing", s(tools.Start{Program: env.Real, Argv: []string{"env", "true"}, Dir: d.Dir}), nil)
	}
	for range 5 {
		got = append(got, s(tools.Start{Program: real.Real, Argv: []string{"true"}, Dir: d.Dir}) == nil)
	}
	// Two uses of three were taken with the script, the third by a start of its own.
	toolstest.Diff(t, "starts", got, []bool{true, true, true, false, false})
	toolstest.Diff(t, "another form", s(tools.Start{Program: real.Real, Argv: []string{"true", "x"}, Dir: d.Dir}) == nil, false)
}

func TestRateIsCountedForWhatHappened(t *testing.T) {
	d := newDoor(t)
	verdict := policy.Deny
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: verdict, Rule: "r", Counts: map[string]int{"r": 1}}
	}
	d.Do(t, "exec", `{"argv":["true"]}`)
	verdict = policy.Allow
	d.Do(t, "exec", `{"argv":["true"]}`)
	d.Judge(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["true"]}`))
	d.Do(t, "exec", `{"argv":["true"]}`)
	var used []int
	for _, f := range d.Policy.Facts {
		used = append(used, len(f.Used["r"]))
	}
	toolstest.Diff(t, "uses seen by each decision", used, []int{0, 0, 1, 1})
}
