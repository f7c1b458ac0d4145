package self

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/toolstest"
)

// wall keeps plans and can be full.
type wall struct {
	plans map[string][]string
	err   error
}

func (w *wall) SetPlan(_ context.Context, session string, steps []string) error {
	if w.err != nil {
		return w.err
	}
	w.plans[session] = steps
	return nil
}

func TestUpdatePlan(t *testing.T) {
	w := &wall{plans: map[string][]string{}}
	tool := NewUpdatePlan(w)
	run := func(given string) (string, string, error) {
		fitted, _, err := args.Repair(tool.Spec().Schema, []byte(given))
		if err != nil {
			return "", "", err
		}
		p, err := tool.Prepare(t.Context(), toolstest.Person, fitted)
		if err != nil {
			return "", "", err
		}
		var told strings.Builder
		out, err := p.Do(t.Context(), tools.Judged{}, func(s string) { told.WriteString(s) })
		return out.Text, told.String(), err
	}
	toolstest.Diff(t, "schema", string(tool.Spec().Schema), `{"type":"object","properties":{"steps":{"type":"array","items":{"type":"string"}}},"required":["steps"]}`)
	text, told, err := run(`{"steps":["[x] measure  J7","[>]solder\u001b[31m it","[ ] test","write it up"]}`)
	want := []string{"[x] measure J7", "[>] solder it", "[ ] test", "[ ] write it up"}
	toolstest.Diff(t, "kept", w.plans["main"], want)
	toolstest.Diff(t, "what the model reads", text, "kept: 1 of 4 done")
	toolstest.Diff(t, "what the person sees", told, strings.Join(want, "\n")+"\n")
	if err != nil {
		t.Error(err)
	}
	if text, told, _ := run(`{"steps":[]}`); text != "no plan is kept any more" || told != "" || len(w.plans["main"]) != 0 {
		t.Errorf("%q %q %v", text, told, w.plans)
	}
	for given, want := range map[string]string{
		`{}`:                             "steps",
		`{"steps":["[x]"]}`:              "entry 1 says nothing",
		`{"steps":["a","[>] b","[~]c"]}`: "2 are marked [>]",
		`{"steps":["` + strings.Repeat("ü", stepChars+1) + `"]}`:   fmt.Sprintf("entry 1 has %d characters and a step has %d at most", stepChars+1, stepChars),
		`{"steps":[` + strings.Repeat(`"a",`, mostSteps) + `"a"]}`: fmt.Sprintf("steps has %d entries and a plan has %d at most", mostSteps+1, mostSteps),
	} {
		var bad *args.Error
		if _, _, err := run(given); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v", given, err)
		}
	}
	w.err = errors.New("the disk is full")
	if _, _, err := run(`{"steps":["a"]}`); err == nil || !strings.Contains(err.Error(), "the plan can't be kept: the disk is full; go on without it") {
		t.Error(err)
	}
}
