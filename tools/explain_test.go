package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// telling is a policy that explains, with a secret in every text.
type telling struct {
	*toolstest.Policy
	said  policy.Explanation
	asked []policy.Action
}

func (p *telling) Explain(a policy.Action, _ policy.Facts) policy.Explanation {
	p.asked = append(p.asked, a)
	return p.said
}

// TestExplain_MasksEveryText: what policy tells of its way shows no secret, and the
// policy's own copy stays as it is.
func TestExplain_MasksEveryText(t *testing.T) {
	told := func(word string) policy.Explanation {
		return policy.Explanation{
			Decision: policy.Decision{
				Verdict: policy.Deny, Rule: "r", Reason: "reason " + word, Hint: "hint " + word,
				Matched: []policy.Match{{Rule: "r", Verdict: policy.Deny, Why: "a rule's own words"}},
			},
			Parts: []policy.Part{{
				Kind: "command", Text: "text " + word, Real: "/bin/" + word,
				Said: []policy.Said{{Rule: "r", Reason: "said " + word}},
				Near: []policy.Near{{Rule: "r", Misfit: "misfit " + word}},
			}},
			Change: []string{"change " + word},
		}
	}
	d := newDoor(t)
	p := &telling{Policy: toolstest.Always(policy.Deny), said: told("s3cr3t-zz")}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return p } })
	got := d.Explain(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["ls"]}`))
	toolstest.Diff(t, "explanation", got, told("[secret LAB_KEY]"))
	toolstest.Diff(t, "the policy's own", p.said, told("s3cr3t-zz"))
	toolstest.Diff(t, "of", []any{len(p.asked), p.asked[0].Command().Argv}, []any{1, []string{"ls"}})
	toolstest.Diff(t, "records and commands", []int{len(d.Kept()), len(d.Launcher.Ran)}, []int{0, 0})
}

// TestExplain_BeforePolicyIsAsked tells the decision, and its hint as the change.
func TestExplain_BeforePolicyIsAsked(t *testing.T) {
	d := newDoor(t)
	p := &telling{Policy: toolstest.Always(policy.Allow)}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return p } })
	for _, c := range []struct{ tool, args, rule string }{
		{"calc", `{}`, "tools.unknown"},
		{"exec", `{"argv":7}`, "tools.invalid"},
	} {
		got := d.Explain(t.Context(), toolstest.Person, c.tool, json.RawMessage(c.args))
		toolstest.Diff(t, c.tool, []any{got.Verdict, got.Rule, got.Parts}, []any{policy.Deny, c.rule, []policy.Part{}})
		if hint := []string{got.Hint}; got.Hint != "" && !slices.Equal(got.Change, hint) {
			t.Errorf("%s: change %q, hint %q", c.tool, got.Change, got.Hint)
		}
	}
	toolstest.Diff(t, "asked", len(p.asked), 0)
	silent := newDoor(t) // a policy that can't explain
	silent.Policy.Judge = toolstest.Always(policy.Deny).Judge
	got := silent.Explain(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["ls"]}`))
	toolstest.Diff(t, "without", []any{got.Rule, got.Parts, got.Change}, []any{"test.deny", []policy.Part{}, []string{"do something else"}})
}
