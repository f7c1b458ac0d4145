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

// hearing collects what the rules say about one action. With missing set it
// collects what the facts lack instead, and its findings mean nothing.
type hearing struct {
	policy  *Policy
	action  Action
	facts   Facts
	missing *Subjects

	found  []finding
	notes  *notes  // what Explain wants to know besides, nil for anybody else
	parts  int     // simple commands so far, as written
	judged int     // commands so far, after loops and patterns
	work   int     // steps so far
	waits  float64 // seconds of sleep so far
	grants Grants
	counts map[string]int             // uses of rules with a rate, never changed in place
	makes  bool                       // a command before this place can make files of any name
	moves  bool                       // one can put a link in the place of a file
	strays bool                       // a path is used after that
	paths  map[judgement][]finding    // what was said of a path before
	trial  *execRule                  // the rule whose example this is, nil in earnest
	lain   struct{ abs, root string } // the path that was last placed in a root
}

// finding is what one rule says about one part of the action.
type finding struct {
	rule    string
	verdict Verdict
	why     string // the rule's own reason
	reason  string // about this action
	hint    string
	// weight orders findings of the same verdict: what the command is before what
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

// add records a finding.
func (h *hearing) add(f finding) {
	if n := h.notes; n != nil {
		n.nth++
		f.part, f.nth = n.now, n.nth
	}
	h.found = append(h.found, f)
}

// deny records a denial that comes from the way actions are read.
func (h *hearing) deny(rule, reason, hint string) {
	h.add(finding{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

// apply records a built-in rule unless the operator waived it, and tells whether
// it did.
func (h *hearing) apply(b *builtin.Rule, reason string) bool {
	if !b.Fixed && h.policy.waived(b.ID) != "" {
		return false
	}
	h.add(finding{rule: b.ID, verdict: Deny, why: b.Why, reason: reason + ": " + b.Why, hint: builtin.HintOf(b, reason)})
	return true
}

// judge hears the rules on the action.
func (h *hearing) judge() {
	a := h.action
	if a.Tool != "" {
		if rule := h.policy.refusesTool(a.Tool); rule != "" {
			h.refuseTool(rule)
		}
	}
	if a.empty() {
		h.unknownKind(a.kindName())
		return
	}
	a.Kind.judge(h)
}

// unknownKind denies what no kind of action is, or not in this form.
func (h *hearing) unknownKind(name string) {
	h.deny("builtin.kind", fmt.Sprintf("this policy knows no action of the kind %s", wording.Quote(name)), "")
}

// refuseTool records that a tool list keeps the tool away.
func (h *hearing) refuseTool(rule string) {
	reason := fmt.Sprintf("the tool %s is not offered: %s of the policy", h.action.Tool, strings.Replace(rule, "tools.", "[tools] ", 1))
	hint := ""
	if h.policy.builtin {
		reason, hint = fmt.Sprintf("the tool %s is not offered: there is no policy file", h.action.Tool), noPolicyHint
	}
	h.add(finding{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

const noPolicyHint = "agent init installs the lab policy"

// decision sums up: the strictest finding decides, and a question that nobody
// can answer is a denial.
func (h *hearing) decision() Decision {
	h.spill()
	if len(h.found) == 0 {
		h.deny("builtin.default", "no rule speaks of this", "")
	}
	slices.SortStableFunc(h.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.verdict, b.verdict), cmp.Compare(a.weight, b.weight))
	})
	first := h.found[0]
	d := Decision{Verdict: first.verdict, Rule: first.rule, Reason: first.reason, Hint: first.hint}
	d.Matched = make([]Match, 0, len(h.found))
	for _, f := range h.found {
		if m := (Match{f.rule, f.verdict, f.why}); !slices.Contains(d.Matched, m) {
			d.Matched = append(d.Matched, m)
		}
	}
	if d.Verdict != Deny {
		h.openedPaths()
		if g := h.grants; !g.empty() {
			d.Grants = &g
		}
		d.Counts = h.counts
	}
	if d.Verdict == Deny && d.Hint == "" {
		d.Hint = "do without it, or ask the operator"
	}
	if d.Verdict != Ask {
		return d
	}
	switch n := h.policy.narrowed; {
	case n != nil && !n.ask:
		d.Verdict, d.Reason = Deny, d.Reason+"; under the profile "+n.name+" nothing is asked"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask the operator for another profile", "; ")
	case h.preapproval() != nil:
		a := h.preapproval()
		d.Verdict, d.Rule, d.Hint = Allow, a.id, ""
		d.Reason += "; a person approved exactly this in advance for the job " + a.job + ": " + a.why
		d.Matched = append(d.Matched, Match{a.id, Allow, a.why})
		h.add(finding{rule: a.id, verdict: Allow, why: a.why, reason: d.Reason})
		last := len(h.found) - 1
		h.found[0], h.found[last] = h.found[last], h.found[0] // it decides
	case !h.facts.Attended:
		d.Verdict, d.Reason = Deny, d.Reason+"; that needs a person's yes and nobody is present"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask when a person is there", "; ")
	}
	if d.Verdict == Deny {
		d.Grants, d.Counts = nil, nil
	}
	return d
}
