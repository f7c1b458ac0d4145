package main

import (
	"context"
	"slices"
	"time"

	"hardshell/runtime"
	"hardshell/runtime/store"
)

// upkeepEvery is the pause between two looks after the store. A snapshot older
// than that costs at most so much when the supply goes.
const upkeepEvery = 15 * time.Minute

// upkeepRules keep what a person may ask for: conversations and audit stay whole;
// what was found damaged is kept a quarter of a year.
var upkeepRules = store.Rules{Aside: 90 * 24 * time.Hour}

// upkeeper looks after the records. *store.Store is one.
type upkeeper interface {
	Retain(ctx context.Context, rules store.Rules) (store.Retained, error)
}

// upkeep takes snapshots and clears away until ctx ends, while no turn runs. What
// keeps failing is told by the store's own notices, which status shows.
func upkeep(ctx context.Context, s upkeeper, busy func() bool) {
	every := time.NewTicker(upkeepEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			if !busy() {
				_, _ = s.Retain(ctx, upkeepRules)
			}
		}
	}
}

// Status is an agent's own, with what the start and the store have to say by now.
func (a *living) Status(ctx context.Context, id string) (runtime.Status, error) {
	r, err := a.agent(id)
	if err != nil {
		return runtime.Status{}, err
	}
	st := r.Status(ctx)
	a.mu.Lock()
	st.Notices, st.Agents = slices.Insert(slices.Clone(st.Notices), 0, slices.Concat(a.notices, a.reread)...), nil
	a.mu.Unlock()
	for _, other := range a.agents {
		st.Agents = append(st.Agents, other.id)
	}
	for _, n := range a.store.Notices() {
		known := false
		for _, k := range st.Notices {
			known = known || k == n
		}
		if !known {
			st.Notices = append(st.Notices, n)
		}
	}
	return st, nil
}
