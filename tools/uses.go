package tools

import (
	"maps"
	"slices"
	"sync"
	"time"

	"hardshell/policy"
)

// uses remembers when each rule let something happen, for rules with a rate. It
// lives as long as the process.
type uses struct {
	mu sync.Mutex
	at map[string][]time.Time
}

// keepUses bounds what is kept of one rule; no rate is higher.
const keepUses = 1000

// note counts a decision that is about to be acted on, for each rule in it.
func (u *uses) note(d policy.Decision, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = map[string][]time.Time{}
	}
	for _, m := range d.Matched {
		at := append(u.at[m.Rule], now)
		u.at[m.Rule] = at[max(0, len(at)-keepUses):]
	}
}

// all gives a copy, never nil: a rule that was never used is known to be so.
func (u *uses) all() map[string][]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := maps.Clone(u.at)
	if out == nil {
		out = map[string][]time.Time{}
	}
	for k := range out {
		out[k] = slices.Clone(out[k])
	}
	return out
}
