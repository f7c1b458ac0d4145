package tools

import (
	"context"
	"encoding/json"

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
		x = e.Explain(k.prepared.Action, k.facts)
	} else if d.Hint != "" {
		x.Change = append(x.Change, d.Hint)
	}
	return r.redactExplanation(x)
}
