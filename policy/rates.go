package policy

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// The bounds of a rate: who keeps the uses keeps so many of them, for so long.
const (
	MaxRateUses = 1000
	MaxRateTime = 31 * 24 * time.Hour
)

// rate is a number of uses in a stretch of time; the zero rate is no limit.
type rate struct {
	uses int
	in   time.Duration
	span string // in, as the policy file writes it
}

// parseRate reads "20/1h".
func parseRate(s string) (rate, bool) {
	n, d, ok := strings.Cut(s, "/")
	uses, err := strconv.Atoi(n)
	in, err2 := time.ParseDuration(d)
	if !ok || err != nil || err2 != nil || uses < 1 || uses > MaxRateUses || in <= 0 || in > MaxRateTime {
		return rate{}, false
	}
	return rate{uses, in, d}, true
}

// withinRate counts what a command uses of a rule's rate, and denies when that is
// more than is left, or when either is not known.
func (h *hearing) withinRate(ctx scene, r *execRule) bool {
	if h.missing != nil {
		return true
	}
	if h.facts.Used == nil {
		h.deny(r.id, r.id+" has a rate, and how often it was used is not known", "")
		return false
	}
	if ctx.endless || ctx.many {
		h.deny(r.id, r.id+" has a rate, and how often this would use it is not known", "run it by itself, not in a while loop and not under xargs or find")
		return false
	}
	before := 0
	for _, t := range h.facts.Used[r.id] {
		if h.facts.Now.Sub(t) < r.rate.in {
			before++
		}
	}
	counts := maps.Clone(h.counts) // a rehearsal keeps its own
	if counts == nil {
		counts = map[string]int{}
	}
	counts[r.id] += int(max(ctx.times, 1))
	h.counts = counts
	switch {
	case before >= r.rate.uses:
		h.deny(r.id, fmt.Sprintf("%s was used %d times in %s, which is its rate in the policy", r.id, before, r.rate.span), "try again later")
		return false
	case before+counts[r.id] > r.rate.uses:
		h.deny(r.id, fmt.Sprintf("this would use %s %d times; of its rate in the policy, %d in %s, %d are left", r.id, counts[r.id], r.rate.uses, r.rate.span, r.rate.uses-before), "do it fewer times")
		return false
	}
	return true
}
