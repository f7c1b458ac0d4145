package tools

import (
	"context"
	"encoding/json"
	"slices"

	"hardshell/policy"
)

// explainer is a Policy that tells how it decides. *policy.Policy is one.
type explainer interface {
	Explain(a policy.Action, f policy.Facts) policy.Explanation
}

// Explain is Judge with everything that was judged on the way. A call that ends
// before policy is asked has nothing to tell but its decision.
func (r *Registry) Explain(ctx context.Context, from Origin, name string, args json.RawMessage) policy.Explanation {
	k, d := r.judge(ctx, from, name, args)
	x := policy.Explanation{Decision: d, Parts: []policy.Part{}, Change: []string{}}
	defer k.free()
	if e, ok := k.pol.(explainer); ok && k.decided {
		x = e.Explain(k.plan.Action, k.facts)
	} else if d.Hint != "" {
		x.Change = append(x.Change, d.Hint)
	}
	return r.maskExplanation(x)
}

// maskExplanation takes secrets out of what is shown of an explanation.
func (r *Registry) maskExplanation(x policy.Explanation) policy.Explanation {
	mask := r.cfg.Masker.Mask
	x.Decision = r.maskDecision(x.Decision)
	x.Parts, x.Change = slices.Clone(x.Parts), slices.Clone(x.Change)
	for i, p := range x.Parts {
		p.Text, p.Real = mask(p.Text), mask(p.Real)
		p.Said, p.Near = slices.Clone(p.Said), slices.Clone(p.Near)
		for j := range p.Said {
			p.Said[j].Reason = mask(p.Said[j].Reason)
		}
		for j := range p.Near {
			p.Near[j].Misfit = mask(p.Near[j].Misfit)
		}
		x.Parts[i] = p
	}
	for i := range x.Change {
		x.Change[i] = mask(x.Change[i])
	}
	return x
}
