package policy

import (
	"fmt"
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
