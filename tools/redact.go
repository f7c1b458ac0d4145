package tools

import (
	"slices"

	"hardshell/policy"
	"hardshell/tools/secret"
)

// redactAction gives a copy of an action without secret values, for the record. It comes
// before quoting, which would change a value so that it is not found.
func redactAction(m *secret.Redactor, a policy.Action) policy.Action {
	if a.Exec != nil {
		e := *a.Exec
		e.Argv, e.Env = m.All(e.Argv), m.All(e.Env)
		e.Script, e.Cwd, e.Stdin = m.Redact(e.Script), m.Redact(e.Cwd), m.Redact(e.Stdin)
		a.Exec = &e
	}
	if a.File != nil {
		f := *a.File
		f.Path = m.Redact(f.Path)
		a.File = &f
	}
	a.Files = slices.Clone(a.Files)
	for i := range a.Files {
		a.Files[i].Path = m.Redact(a.Files[i].Path)
	}
	return a
}

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
