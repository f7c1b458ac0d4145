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
	report
	action Action
	known

	parts  int     // simple commands so far, as written
	judged int     // commands so far, after loops and patterns
	work   int     // steps so far
	waits  float64 // seconds of sleep so far
	grants Grants
	counts map[string]int        // uses of rules with a rate, never changed in place
	makes  bool                  // a command before this place can make files of any name
	moves  bool                  // one can put a link in the place of a file
	paths  map[judgement][]match // what was said of a path before
	placed places                // where paths lie
	// usedAfterMove: a path is used behind a command that can put a link in its place.
	usedAfterMove bool
}

// evaluation begins the evaluation of an action.
func (p *Policy) evaluation(a Action, f Facts) evaluation {
	return evaluation{report: report{policy: p, found: make([]match, 0, 4)}, known: known{facts: f}, action: a, placed: places{roots: f.Roots}}
}

// judge applies the rules to the action.
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
	yes := ev.policy.preapproval(ev.action, &ev.facts)
	switch n := ev.policy.narrowed; {
	case n != nil && !n.ask:
		d.Verdict, d.Reason = Deny, d.Reason+"; under the profile "+n.name+" nothing is asked"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask the operator for another profile", "; ")
	case yes != nil:
		d.Verdict, d.Rule, d.Hint = Allow, yes.id, ""
		d.Reason += "; a person approved exactly this in advance for the job " + yes.job + ": " + yes.why
		d.Matched = append(d.Matched, Match{yes.id, Allow, yes.why})
		ev.add(match{rule: yes.id, verdict: Allow, why: yes.why, reason: d.Reason})
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
