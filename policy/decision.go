package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/builtin"
)

// Verdict is what policy says about an action. Its zero value is Deny.
type Verdict uint8

// The verdicts, strictest first: the smallest of several wins.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// String gives "deny", "ask" or "allow".
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	default:
		return "deny"
	}
}

// MarshalText writes the verdict as its word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads one of the three words and refuses everything else.
func (v *Verdict) UnmarshalText(b []byte) error {
	switch string(b) {
	case "allow":
		*v = Allow
	case "ask":
		*v = Ask
	case "deny":
		*v = Deny
	default:
		return fmt.Errorf("%q is no verdict: write allow, ask or deny", b)
	}
	return nil
}

// Decision is the answer to one action. The zero Decision denies.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	// Rule is the id of the rule that decided.
	Rule string `json:"rule"`
	// Reason says why, in a sentence for the person and the model.
	Reason string `json:"reason"`
	// Hint says what to do instead; may be empty.
	Hint string `json:"hint,omitempty"`
	// Matched holds every rule that matched, strictest first.
	Matched []Match `json:"matched"`
	// Grants is what the command may reach besides its folders; only with allow
	// or ask, and nil when it is nothing.
	Grants *Grants `json:"grants,omitempty"`
	// Counts tells how often the action uses each rule that has a rate; whoever acts
	// on an allow keeps these uses for Facts.Used.
	Counts map[string]int `json:"counts,omitempty"`
}

// Match is one rule that matched an action.
type Match struct {
	Rule    string  `json:"rule"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}

// Explanation is a decision with everything that was judged on the way to it.
type Explanation struct {
	Decision
	// Parts are what the action consists of, in the order in which it was judged:
	// the action as a whole, then each command and each path found in it.
	Parts []Part `json:"parts"`
	// Change says, for every match that stands in the way, what would have to be
	// different; empty when the action is allowed.
	Change []string `json:"change"`
}

// Part is one thing of an action that was judged by itself.
type Part struct {
	Kind string `json:"kind"` // action, command, path
	Text string `json:"text"`
	// Depth counts the commands around it: 1 for a command that a wrapper carries,
	// and for the path of a command by itself.
	Depth int `json:"depth"`
	// Real is the file behind a command's first word, or where a path leads, with
	// every link followed; empty when nobody could tell.
	Real string `json:"real,omitempty"`
	// Access is what is done with a path: read, list, write, …
	Access string `json:"access,omitempty"`
	// Said is what the rules that matched say of it, as they were met.
	Said []Said `json:"said"`
	// Near are the rules that speak of it and don't fit.
	Near []Near `json:"near,omitempty"`
}

// Said is one rule's word on one part.
type Said struct {
	Rule    string  `json:"rule"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	// Decides is true for the word that made the decision: the strictest, and of
	// equals the first.
	Decides bool `json:"decides,omitempty"`
}

// Near is a rule that speaks of a program or path and does not fit.
type Near struct {
	Rule string `json:"rule"`
	Form string `json:"form"`
	// Misfit says what keeps the rule from matching.
	Misfit string `json:"misfit"`
}

// Explain decides as Decide does and tells how.
func (p *Policy) Explain(a Action, f Facts) Explanation {
	ev := p.evaluation(a, f)
	ev.notes = &notes{parts: []Part{{Kind: "action", Text: a.kindName(), Said: []Said{}}}}
	ev.judge()
	d := ev.decision() // sorts what was found
	x := Explanation{Decision: d, Parts: ev.notes.parts, Change: []string{}}
	inOrder := slices.Clone(ev.found)
	slices.SortFunc(inOrder, func(a, b match) int { return a.nth - b.nth })
	for _, f := range inOrder {
		s := Said{f.rule, f.verdict, f.reason, f.nth == ev.found[0].nth}
		if part := &x.Parts[f.part]; !slices.Contains(part.Said, s) {
			part.Said = append(part.Said, s)
		}
	}
	x.Parts = slices.DeleteFunc(x.Parts, func(p Part) bool { return p.Kind != "command" && len(p.Said)+len(p.Near) == 0 })
	for _, f := range ev.found {
		if f.verdict == Allow || f.verdict != ev.found[0].verdict {
			continue // what is stricter stands in front of it
		}
		if c := ev.change(f); !slices.Contains(x.Change, c) {
			x.Change = append(x.Change, c)
		}
	}
	return x
}

// notes is what an explained evaluation writes down besides its matches.
type notes struct {
	parts []Part
	now   int // the part that is judged
	owner int // the command that it belongs to
	nth   int // matches so far
}

// program names the file behind the command that is judged.
func (n *notes) program(file string) {
	if n != nil {
		n.parts[n.now].Real = file
	}
}

// near notes a rule that does not fit.
func (n *notes) near(rule, form, misfit string) {
	if n != nil {
		part := &n.parts[n.now]
		if one := (Near{rule, form, misfit}); !slices.Contains(part.Near, one) {
			part.Near = append(part.Near, one)
		}
	}
}

// count is the number of parts so far; forget drops those behind it, which were
// only rehearsed.
func (n *notes) count() int {
	if n == nil {
		return 0
	}
	return len(n.parts)
}

func (n *notes) forget(count int) {
	if n != nil {
		n.parts = n.parts[:count:count]
	}
}

// change says what would have to be different for a match to go away.
func (ev *evaluation) change(f match) string {
	var ways []string
	if f.hint != "" {
		ways = append(ways, f.hint)
	}
	b := builtin.ByID(f.rule)
	switch {
	case f.verdict == Ask && ev.facts.Attended:
		ways = []string{"a person says yes"}
	case f.verdict == Ask:
		if ways = []string{"a person is present and says yes"}; ev.facts.Job != "" && ev.action.Standing() {
			ways = append(ways, "the operator approves exactly this in advance for the job "+ev.facts.Job+", with [[unattended]]")
		}
	case b != nil && b.Fixed:
		ways = append(ways, "no waiver is possible")
	case b != nil:
		ways = append(ways, "the operator waives "+f.rule+" in the policy file, with a reason")
	case strings.HasPrefix(f.rule, "profile."):
		ways = append(ways, "the run has another profile")
	case strings.HasPrefix(f.rule, "tools."):
		ways = append(ways, "the operator offers the tool in [tools] of the policy file")
	case strings.HasPrefix(f.rule, "exec.") || strings.HasPrefix(f.rule, "file."):
		ways = append(ways, "the operator changes the rule "+f.rule)
	case byOperator[f.rule] != "" && !strings.Contains(f.hint, "the operator"):
		ways = append(ways, "the operator "+byOperator[f.rule])
	}
	if ways == nil {
		ways = []string{f.reason}
	}
	return fmt.Sprintf("%s: %s", f.rule, strings.Join(ways, "; or "))
}

// byOperator is what an operator can do about denials that no single rule of the
// file makes.
var byOperator = map[string]string{
	"builtin.outside":  "opens the path with a [[file]] rule",
	"builtin.no-match": "adds an [[exec]] rule with this form",
	"builtin.default":  "adds a rule for it",
	"unlisted":         "adds an [[exec]] rule for the program",
}
