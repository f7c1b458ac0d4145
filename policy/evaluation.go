package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/wording"
)

// evaluation collects what the rules say about one action. With missing set it
// collects what the facts lack instead, and its matches mean nothing.
type evaluation struct {
	policy  *Policy
	action  Action
	facts   Facts
	missing *Subjects

	found  []match
	notes  *notes  // what Explain wants to know besides, nil for anybody else
	parts  int     // simple commands so far, as written
	judged int     // commands so far, after loops and patterns
	work   int     // steps so far
	waits  float64 // seconds of sleep so far
	grants Grants
	counts map[string]int        // uses of rules with a rate, never changed in place
	makes  bool                  // a command before this place can make files of any name
	moves  bool                  // one can put a link in the place of a file
	strays bool                  // a path is used after that
	paths  map[judgement][]match // what was said of a path before
	trial  *execRule             // the rule whose example this is, nil in earnest
	placed places                // where paths lie
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
func (ev *evaluation) add(f match) {
	if n := ev.notes; n != nil {
		n.nth++
		f.part, f.nth = n.now, n.nth
	}
	ev.found = append(ev.found, f)
}

// deny records a denial that comes from the way actions are read.
func (ev *evaluation) deny(rule, reason, hint string) {
	ev.add(match{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

// apply records a built-in rule unless the operator waived it, and tells whether
// it did.
func (ev *evaluation) apply(b *builtin.Rule, reason string) bool {
	if !b.Fixed && ev.policy.waived(b.ID) != "" {
		return false
	}
	ev.add(match{rule: b.ID, verdict: Deny, why: b.Why, reason: reason + ": " + b.Why, hint: builtin.HintOf(b, reason)})
	return true
}

// judge hears the rules on the action.
func (ev *evaluation) judge() {
	a := ev.action
	if a.Tool != "" {
		if rule := ev.policy.refusesTool(a.Tool); rule != "" {
			ev.refuseTool(rule)
		}
	}
	if a.empty() {
		ev.unknownKind(a.kindName())
		return
	}
	a.Kind.judge(ev)
}

// unknownKind denies what no kind of action is, or not in this form.
func (ev *evaluation) unknownKind(name string) {
	ev.deny("builtin.kind", fmt.Sprintf("this policy knows no action of the kind %s", wording.Quote(name)), "")
}

// refuseTool records that a tool list keeps the tool away.
func (ev *evaluation) refuseTool(rule string) {
	reason := fmt.Sprintf("the tool %s is not offered: %s of the policy", ev.action.Tool, strings.Replace(rule, "tools.", "[tools] ", 1))
	hint := ""
	if ev.policy.builtin {
		reason, hint = fmt.Sprintf("the tool %s is not offered: there is no policy file", ev.action.Tool), noPolicyHint
	}
	ev.add(match{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

const noPolicyHint = "agent init installs the lab policy"

// decision sums up: the strictest match decides, and a question that nobody
// can answer is a denial.
func (ev *evaluation) decision() Decision {
	ev.spill()
	if len(ev.found) == 0 {
		ev.deny("builtin.default", "no rule speaks of this", "")
	}
	slices.SortStableFunc(ev.found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.verdict, b.verdict), cmp.Compare(a.weight, b.weight))
	})
	first := ev.found[0]
	d := Decision{Verdict: first.verdict, Rule: first.rule, Reason: first.reason, Hint: first.hint}
	d.Matched = make([]Match, 0, len(ev.found))
	for _, f := range ev.found {
		if m := (Match{f.rule, f.verdict, f.why}); !slices.Contains(d.Matched, m) {
			d.Matched = append(d.Matched, m)
		}
	}
	if d.Verdict != Deny {
		ev.openedPaths()
		if g := ev.grants; !g.empty() {
			d.Grants = &g
		}
		d.Counts = ev.counts
	}
	if d.Verdict == Deny && d.Hint == "" {
		d.Hint = "do without it, or ask the operator"
	}
	if d.Verdict != Ask {
		return d
	}
	switch n := ev.policy.narrowed; {
	case n != nil && !n.ask:
		d.Verdict, d.Reason = Deny, d.Reason+"; under the profile "+n.name+" nothing is asked"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask the operator for another profile", "; ")
	case ev.preapproval() != nil:
		a := ev.preapproval()
		d.Verdict, d.Rule, d.Hint = Allow, a.id, ""
		d.Reason += "; a person approved exactly this in advance for the job " + a.job + ": " + a.why
		d.Matched = append(d.Matched, Match{a.id, Allow, a.why})
		ev.add(match{rule: a.id, verdict: Allow, why: a.why, reason: d.Reason})
		last := len(ev.found) - 1
		ev.found[0], ev.found[last] = ev.found[last], ev.found[0] // it decides
	case !ev.facts.Attended:
		d.Verdict, d.Reason = Deny, d.Reason+"; that needs a person's yes and nobody is present"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask when a person is there", "; ")
	}
	if d.Verdict == Deny {
		d.Grants, d.Counts = nil, nil
	}
	return d
}
