package policy

import (
	"fmt"
	"slices"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/wording"
)

// report is what the rules said of an action so far.
type report struct {
	policy *Policy
	found  []match
	notes  *notes // what Explain wants to know besides, nil for anybody else
}

// match is what one rule says about one part of the action.
type match struct {
	rule    string
	verdict Verdict
	why     string // the rule's own reason
	reason  string // about this action
	hint    string
	// weight orders matches of the same verdict: what the command is before what
	// it touches.
	weight int
	// real and access are the path that it is about, empty when it is about none.
	real   string
	access argv.Access
	// opaque marks a command that can do more than its words say, inside of what it
	// is shown: a compiler, a build, a repository, whatever a person was asked for.
	opaque bool
	// free marks a command that can do what nobody judged: a build, one that a person is
	// asked about, one that is handed names which are found later. has is what its own
	// rule grants.
	free bool
	has  Grants
	// part and nth are its place in an explanation.
	part, nth int
}

// add records a match.
func (r *report) add(f match) {
	if n := r.notes; n != nil {
		n.nth++
		f.part, f.nth = n.now, n.nth
	}
	r.found = append(r.found, f)
}

// deny records a denial that comes from the way actions are read.
func (r *report) deny(rule, reason, hint string) {
	r.add(match{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

// apply records a built-in rule unless the operator waived it, and tells whether
// it did.
func (r *report) apply(b *builtin.Denial, reason string) bool {
	if !b.Fixed && r.policy.waived(b.ID) != "" {
		return false
	}
	r.add(match{rule: b.ID, verdict: Deny, why: b.Why, reason: reason + ": " + b.Why, hint: builtin.HintOf(b, reason)})
	return true
}

// writesAnything denies a command that can write what its words don't name, where the
// profile in force lets nothing be written.
func (r *report) writesAnything(ws []argv.Word) {
	if n := r.policy.narrowed; n.onlyReads() {
		r.add(match{rule: "profile." + n.name, verdict: Deny, why: n.why, reason: fmt.Sprintf("%s: under the profile %s nothing is written, and this runs what it likes", argv.Show(ws), n.name), hint: "do without it, or ask the operator for another profile"})
	}
}

// unknownKind denies what no kind of action is, or not in this form.
func (r *report) unknownKind(name string) {
	r.deny("builtin.kind", fmt.Sprintf("this policy knows no action of the kind %s", wording.Quote(name)), "")
}

// harmless records what the shell does by itself and that touches nothing.
func (r *report) harmless(why, reason string) {
	r.add(match{rule: "builtin.shell-word", verdict: Allow, why: why, reason: reason, weight: 2})
}

// names tells whether a rule is among those that matched.
func (r *report) names(id string) bool {
	return slices.ContainsFunc(r.found, func(f match) bool { return f.rule == id })
}

// enter opens a part; the number that it gives goes to leave. A path that a command
// names twice is one part. Without notes nothing happens.
func (r *report) enter(p Part) (before int) {
	n := r.notes
	if n == nil {
		return 0
	}
	before, p.Said = n.now, []Said{}
	if p.Kind == "path" {
		if i := slices.IndexFunc(n.parts[n.owner:], func(o Part) bool {
			return o.Kind == p.Kind && o.Text == p.Text && o.Access == p.Access && o.Real == p.Real
		}); i >= 0 {
			n.now = n.owner + i
			return before
		}
		if p.Depth = n.parts[n.owner].Depth; n.owner > 0 {
			p.Depth++
		}
	}
	n.parts = append(n.parts, p)
	n.now = len(n.parts) - 1
	if p.Kind == "command" {
		n.owner = n.now
	}
	return before
}

// leave closes the part that enter opened.
func (r *report) leave(before int) {
	if n := r.notes; n != nil {
		if n.now = before; n.parts[before].Kind != "path" {
			n.owner = before
		}
	}
}

// refuseForm denies a wrapper in a form that can't be opened.
func (r *report) refuseForm(ws []argv.Word, what string) {
	r.deny("builtin.wrapper", fmt.Sprintf("%s can't be opened: %s", argv.Show(ws), what), "run the inner command itself")
}
