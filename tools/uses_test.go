package tools

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
	"hardshell/tools/lookup"
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
func rated(t *testing.T, l UsesLedger) *door {
	t.Helper()
	p, err := policy.Parse("p.toml", []byte("version = 1\n[[file]]\nroot = \"workspace\"\nops = [\"read\"]\nwhy = \"w\"\n[[exec]]\nargv = [\"true\"]\nrate = \"3/1h\"\nwhy = \"w\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	uses, err := NewUses(l)
	if err != nil {
		t.Fatal(err)
	}
	d := newDoor(t)
	d.cfg.Policy, d.cfg.Uses = func() Policy { return p }, uses
	return d
}

// A restart, however it came, refills no rate.
func TestRateOutlivesARestart(t *testing.T) {
	kept := &shelf{}
	var got []Outcome
	for range 5 {
		got = append(got, rated(t, kept).call(t, "exec", `{"argv":["true"]}`).Outcome)
	}
	diff(t, "outcomes", got, []Outcome{OK, OK, OK, Refused, Refused})
	var at []time.Time
	if err := json.Unmarshal(kept.kept["exec.true"], &at); err != nil || len(at) != 3 {
		t.Errorf("kept %s: %v", kept.kept, err)
	}
}

// A use that can't be kept is none, and uses that can't be read end the start.
func TestRateThatCannotBeKept(t *testing.T) {
	kept := &shelf{full: true}
	d := rated(t, kept)
	_, err := d.Call(t.Context(), person, Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
	if err == nil || !strings.Contains(err.Error(), "exec.true, which has a rate, can't be kept: the disk is full; exec was not done") || len(d.launcher.ran) > 0 {
		t.Errorf("%v, ran %v", err, d.launcher.ran)
	}
	if _, err := NewUses(&shelf{kept: map[string]json.RawMessage{"exec.true": json.RawMessage(`"x"`)}}); err == nil || !strings.Contains(err.Error(), "exec.true") {
		t.Error(err)
	}
}

// Calls at the same instant share a rate: policy looks before they act, and looks
// again where one was faster.
func TestRateHoldsForTwinCalls(t *testing.T) {
	d := rated(t, &shelf{})
	results := make([]Outcome, 20)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			res, err := d.Call(t.Context(), person, Call{ID: fmt.Sprint(i), Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
			if err != nil {
				t.Error(err)
			}
			results[i] = res.Outcome
		})
	}
	all.Wait()
	n := map[Outcome]int{}
	for _, r := range results {
		n[r]++
	}
	diff(t, "outcomes", n, map[Outcome]int{OK: 3, Refused: 17})
}

// A rate that was used up while a person thought about the question is used up.
func TestRateAfterALateAnswer(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = func(_ policy.Action, f policy.Facts) policy.Decision {
		if len(f.Used["r"]) > 0 {
			return policy.Decision{Verdict: policy.Deny, Rule: "r", Reason: "used up"}
		}
		return policy.Decision{Verdict: policy.Ask, Rule: "r", Counts: map[string]int{"r": 1}}
	}
	d.approver.answer = AnswerOnce
	d.approver.meanwhile = func() {
		if _, err := d.cfg.Uses.take(map[string]int{"r": 1}, d.cfg.Uses.all(), noon); err != nil {
			t.Error(err)
		}
	}
	if res := d.call(t, "exec", `{"argv":["true"]}`); res.Outcome != Refused || !strings.Contains(res.Text, "used up") {
		t.Errorf("%+v", res)
	}
}

// What policy says of a command's output stands behind it.
func TestNotesStandBehindTheOutput(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{"PID\n1\n"}
	d.policy.decide = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Grants: &policy.Grants{Notes: []string{"only its own processes"}}}
	}
	if res := d.call(t, "exec", `{"argv":["ps"]}`); !strings.HasSuffix(res.Text, "]\n[only its own processes]") {
		t.Errorf("%q", res.Text)
	}
}

// A program that a command starts by itself uses up a rate as a command would.
func TestRateHoldsForProgramStarts(t *testing.T) {
	kept := &shelf{}
	d := rated(t, kept)
	k, _ := d.judge(t.Context(), person, "exec", json.RawMessage(`{"argv":["sh","-c","ls"]}`))
	defer k.free()
	real, ok := lookup.Program(lookup.SystemDirs(), d.dir, "true", 0)
	if !ok {
		t.Fatal("no true")
	}
	s := newStarts(k, policy.Grants{})
	var got []string
	for range 5 {
		why := ""
		if err := s.judge(Start{Program: real.Real, Argv: []string{"true"}, Dir: d.dir}); err != nil {
			why = err.Error()
		}
		got = append(got, why)
	}
	no := "rule exec.true; a rule's starts can allow it"
	diff(t, "starts", got, []string{"", "", "", no, no})
	kept.full, kept.kept = true, nil
	d.cfg.Uses, _ = NewUses(kept)
	if err := s.judge(Start{Program: real.Real, Argv: []string{"true"}, Dir: d.dir}); err == nil || !strings.Contains(err.Error(), "can't be kept: the disk is full") {
		t.Errorf("a use that can't be kept: %v", err)
	}
}

// A command that names a program once and starts it many times, as a script with make
// in it can, has taken one use of its rate.
func TestRateHoldsForProgramsThatTheCommandNames(t *testing.T) {
	d := rated(t, &shelf{})
	k, _ := d.judge(t.Context(), person, "exec", json.RawMessage(`{"script":"true; env true"}`))
	defer k.free()
	if err := k.take(); err != nil {
		t.Fatal(err)
	}
	real, ok := lookup.Program(lookup.SystemDirs(), d.dir, "true", 0)
	if !ok {
		t.Fatal("no true")
	}
	s := newStarts(k, policy.Grants{})
	var got []bool
	if env, ok := lookup.Program(lookup.SystemDirs(), d.dir, "env", 0); ok {
		diff(t, "a wrapper counts nothing", s.judge(Start{Program: env.Real, Argv: []string{"env", "true"}, Dir: d.dir}), nil)
	}
	for range 5 {
		got = append(got, s.judge(Start{Program: real.Real, Argv: []string{"true"}, Dir: d.dir}) == nil)
	}
	// Two uses of three were taken with the script, the third by a start of its own.
	diff(t, "starts", got, []bool{true, true, true, false, false})
	diff(t, "another form", s.judge(Start{Program: real.Real, Argv: []string{"true", "x"}, Dir: d.dir}) == nil, false)
}
