package tools

import (
	"slices"

	"hardshell/policy"
)

// redacted is the action without secret values, for the record. It comes before
// quoting, which would change a value so that it is not found.
func (k *call) redacted() policy.Action { return k.prepared.Action.Redacted(k.r.cfg.Redactor.Redact) }

// redactDecision takes secrets out of what is shown of a decision.
func (r *Registry) redactDecision(d policy.Decision) policy.Decision {
	d.Reason, d.Hint = r.cfg.Redactor.Redact(d.Reason), r.cfg.Redactor.Redact(d.Hint)
	d.Matched = slices.Clone(d.Matched)
	for i := range d.Matched {
		d.Matched[i].Why = r.cfg.Redactor.Redact(d.Matched[i].Why)
	}
	return d
}

// redactExplanation takes secrets out of what is shown of an explanation.
func (r *Registry) redactExplanation(x policy.Explanation) policy.Explanation {
	redact := r.cfg.Redactor.Redact
	x.Decision = r.redactDecision(x.Decision)
	x.Parts, x.Change = slices.Clone(x.Parts), slices.Clone(x.Change)
	for i, p := range x.Parts {
		p.Text, p.Real = redact(p.Text), redact(p.Real)
		p.Said, p.Near = slices.Clone(p.Said), slices.Clone(p.Near)
		for j := range p.Said {
			p.Said[j].Reason = redact(p.Said[j].Reason)
		}
		for j := range p.Near {
			p.Near[j].Misfit = redact(p.Near[j].Misfit)
		}
		x.Parts[i] = p
	}
	for i := range x.Change {
		x.Change[i] = redact(x.Change[i])
	}
	return x
}
