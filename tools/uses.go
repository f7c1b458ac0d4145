package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"hardshell/policy"
)

// Uses remembers when each rule with a rate let something happen, over restarts, so
// that a kill refills no rate. All agents that stand under one policy share it. The
// zero Uses forgets with the process.
type Uses struct {
	ledger UsesLedger

	mu sync.Mutex
	at map[string][]time.Time // by rule, oldest first
}

// UsesLedger keeps the uses of rules. A use that can't be kept is no use: the act is
// not done.
type UsesLedger interface {
	// Uses gives what was kept, by rule id.
	Uses() (map[string]json.RawMessage, error)
	KeepUses(rule string, at []time.Time) error
}

// NewUses reads what was kept. What can't be read is an error: a rate that forgot
// its uses would be no rate.
func NewUses(l UsesLedger) (*Uses, error) {
	kept, err := l.Uses()
	if err != nil {
		return nil, fmt.Errorf("read how often rules with a rate were used: %w", err)
	}
	u := &Uses{ledger: l, at: map[string][]time.Time{}}
	for rule, data := range kept {
		var at []time.Time
		if err := json.Unmarshal(data, &at); err != nil {
			return nil, fmt.Errorf("read how often the rule %s was used: %w", rule, err)
		}
		u.at[rule] = at
	}
	return u, nil
}

// take counts what an action is about to use. It is false, and counts nothing, when
// a rule was used since seen was looked at: then policy has to decide anew. The error
// means that the use can't be kept, so nothing may be done.
func (u *Uses) take(counts map[string]int, seen map[string][]time.Time, now time.Time) (bool, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for rule := range counts {
		if !slices.EqualFunc(u.at[rule], seen[rule], time.Time.Equal) {
			return false, nil
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		at := slices.DeleteFunc(slices.Clone(u.at[rule]), func(t time.Time) bool { return now.Sub(t) >= policy.MaxRateTime })
		for range counts[rule] {
			at = append(at, now)
		}
		at = at[max(0, len(at)-policy.MaxRateUses):]
		if u.ledger != nil {
			if err := u.ledger.KeepUses(rule, at); err != nil {
				return false, fmt.Errorf("a use of the rule %s, which has a rate, can't be kept: %w", rule, err)
			}
		}
		if u.at == nil {
			u.at = map[string][]time.Time{}
		}
		u.at[rule] = at
	}
	return true, nil
}

// all gives a copy, never nil: a rule that was never used is known to be so.
func (u *Uses) all() map[string][]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := make(map[string][]time.Time, len(u.at))
	for rule, at := range u.at {
		out[rule] = slices.Clone(at)
	}
	return out
}
