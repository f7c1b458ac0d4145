package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	strays bool                  // a path is used after that
	paths  map[judgement][]match // what was said of a path before
	placed places                // where paths lie
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
