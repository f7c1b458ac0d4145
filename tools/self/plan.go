package self

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/text"
)

// The bounds of a plan: steps, and characters of one step.
const (
	mostSteps = 20
	stepChars = 200
)

// Marks of a step's state, as the model writes them and as a person reads them.
const (
	stepTodo = "[ ]"
	stepNow  = "[>]"
	stepDone = "[x]"
)

// PlanKeeper keeps a session's plan: one line for each step, its mark first. An
// empty plan takes the old one away.
type PlanKeeper interface {
	SetPlan(ctx context.Context, session string, steps []string) error
}

// UpdatePlan lets the model write down what it will do, for a person to see.
type UpdatePlan struct{ keeper PlanKeeper }

// NewUpdatePlan makes the update_plan tool.
func NewUpdatePlan(k PlanKeeper) *UpdatePlan { return &UpdatePlan{keeper: k} }

var _ tools.Tool = (*UpdatePlan)(nil)

type planArgs struct {
	Steps []string `json:"steps"`
}

var planSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "update_plan",
		Description: "Write down your plan",
		Guide:       "the whole list each time, each step as `[x] done`, `[>] now` (one at most) or `[ ] to do`; not for what takes one step",
		Schema:      args.SchemaOf[planArgs](),
	}
})

// Spec is how update_plan is offered.
func (*UpdatePlan) Spec() tools.Spec { return planSpec() }

// Prepare reads the steps.
func (t *UpdatePlan) Prepare(_ context.Context, from tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a planArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	steps, count, err := readSteps(a.Steps)
	if err != nil {
		return tools.Prepared{}, err
	}
	return tools.Prepared{
		Action: policy.Action{Tool: planSpec().Name, Kind: policy.Plan{}},
		Do: func(ctx context.Context, _ tools.Judged, say func(string)) (tools.Output, error) {
			if err := t.keeper.SetPlan(ctx, from.Session, steps); err != nil {
				return tools.Output{}, fmt.Errorf("the plan can't be kept: %w; go on without it", err)
			}
			if len(steps) == 0 {
				return tools.Output{Text: "no plan is kept any more"}, nil
			}
			// The model has just written the steps; they are for the person.
			say(strings.Join(steps, "\n") + "\n")
			return tools.Output{Text: fmt.Sprintf("kept: %d of %d done", count[stepDone], len(steps))}, nil
		},
	}, nil
}

// readSteps gives each step its mark and counts the marks.
func readSteps(raw []string) ([]string, map[string]int, error) {
	if len(raw) > mostSteps {
		return nil, nil, &args.Error{Message: fmt.Sprintf("steps has %d entries and a plan has %d at most: take several together", len(raw), mostSteps)}
	}
	steps, count := []string{}, map[string]int{}
	for i, s := range raw {
		mark, text := stepTodo, strings.Join(strings.Fields(text.Clean(s)), " ")
		for _, m := range []struct{ as, mark string }{
			{"[ ]", stepTodo}, {"[]", stepTodo}, {"[>]", stepNow}, {"[~]", stepNow}, {"[x]", stepDone}, {"[X]", stepDone},
		} {
			if rest, ok := strings.CutPrefix(text, m.as); ok {
				mark, text = m.mark, strings.TrimSpace(rest)
				break
			}
		}
		switch n := utf8.RuneCountInString(text); {
		case n == 0:
			return nil, nil, &args.Error{Message: fmt.Sprintf("steps: entry %d says nothing: write what is to be done", i+1)}
		case n > stepChars:
			return nil, nil, &args.Error{Message: fmt.Sprintf("steps: entry %d has %d characters and a step has %d at most: say it shorter", i+1, n, stepChars)}
		}
		count[mark]++
		steps = append(steps, mark+" "+text)
	}
	if count[stepNow] > 1 {
		return nil, nil, &args.Error{Message: fmt.Sprintf("steps: %d are marked [>], and one is done at a time: mark the others [ ]", count[stepNow])}
	}
	return steps, count, nil
}
