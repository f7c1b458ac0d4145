package tools

import (
	"encoding/json"
	"slices"
	"testing"

	"hardshell/policy"
)

// telling is a policy that explains, with a secret in every text.
type telling struct {
	*fakePolicy
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
	p := &telling{fakePolicy: always(policy.Deny), said: told("s3cr3t-zz")}
	d.cfg.Policy = func() Policy { return p }
	got := d.Explain(t.Context(), person, "exec", json.RawMessage(`{"argv":["ls"]}`))
	diff(t, "explanation", got, told("[secret LAB_KEY]"))
	diff(t, "the policy's own", p.said, told("s3cr3t-zz"))
	diff(t, "of", []any{len(p.asked), p.asked[0].Command().Argv}, []any{1, []string{"ls"}})
	diff(t, "records and commands", []int{len(d.records()), len(d.launcher.ran)}, []int{0, 0})
}

// TestExplain_BeforePolicyIsAsked tells the decision, and its hint as the change.
func TestExplain_BeforePolicyIsAsked(t *testing.T) {
	d := newDoor(t)
	p := &telling{fakePolicy: always(policy.Allow)}
	d.cfg.Policy = func() Policy { return p }
	for _, c := range []struct{ tool, args, rule string }{
		{"calc", `{}`, "tools.unknown"},
		{"exec", `{"argv":7}`, "tools.invalid"},
	} {
		got := d.Explain(t.Context(), person, c.tool, json.RawMessage(c.args))
		diff(t, c.tool, []any{got.Verdict, got.Rule, got.Parts}, []any{policy.Deny, c.rule, []policy.Part{}})
		if hint := []string{got.Hint}; got.Hint != "" && !slices.Equal(got.Change, hint) {
			t.Errorf("%s: change %q, hint %q", c.tool, got.Change, got.Hint)
		}
	}
	diff(t, "asked", len(p.asked), 0)
	silent := newDoor(t) // a policy that can't explain
	silent.policy.decide = always(policy.Deny).decide
	got := silent.Explain(t.Context(), person, "exec", json.RawMessage(`{"argv":["ls"]}`))
	diff(t, "without", []any{got.Rule, got.Parts, got.Change}, []any{"test.deny", []policy.Part{}, []string{"do something else"}})
}
