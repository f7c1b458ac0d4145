package tools

import (
	"context"
	"encoding/json"
	"time"

	"hardshell/policy"
)

// Begun is a call that was judged, for tests of what its command may start.
type Begun struct{ k *call }

// Begin brings a call as far as its decision.
func (r *Registry) Begin(ctx context.Context, from Origin, name string, raw json.RawMessage) Begun {
	k, _ := r.judge(ctx, from, name, raw)
	return Begun{k}
}

// Free ends it.
func (b Begun) Free() { b.k.free() }

// Take counts its uses of rules with a rate.
func (b Begun) Take() error { return b.k.take() }

// Starts judges what its command starts by itself.
func (b Begun) Starts(g policy.Grants) func(Start) error { return newStarts(b.k, g).judge }

// SetUses replaces what remembers uses, in the midst of calls.
func (r *Registry) SetUses(u *Uses) { r.cfg.Uses = u }

// Take counts uses that nobody else had meanwhile.
func (u *Uses) Take(counts map[string]int, now time.Time) (bool, error) {
	return u.take(counts, u.all(), now)
}

// MaxSubject is the longest action that a person is asked about.
const MaxSubject = maxSubject

// MostStartRecords bounds the records of what one command starts.
const MostStartRecords = mostStartRecords

// NamedStarts judges starts, and gives the programs that the call itself names.
func (b Begun) NamedStarts() (judge func(Start) error, named map[string]policy.Program) {
	s := newStarts(b.k, policy.Grants{})
	return s.judge, s.named
}
