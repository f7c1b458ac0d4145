package app

import (
	"context"
	"time"

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
