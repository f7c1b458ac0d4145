package app

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hardshell/runtime/store"
)

// retained counts the looks after a store.
type retained struct{ n atomic.Int32 }

func (r *retained) Retain(context.Context, store.Rules) (store.Retained, error) {
	r.n.Add(1)
	return store.Retained{}, errors.New("the disk is full")
}

func TestUpkeepWaitsForTurnsAndOutlivesFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r retained
		var busy atomic.Bool
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); upkeep(ctx, &r, busy.Load) }()
		for _, step := range []struct {
			wait time.Duration
			busy bool
			want int
		}{{upkeepEvery - time.Second, false, 0}, {2 * time.Second, false, 1}, {upkeepEvery, true, 1}, {2 * upkeepEvery, false, 3}} {
			busy.Store(step.busy)
			time.Sleep(step.wait)
			synctest.Wait()
			if got := int(r.n.Load()); got != step.want {
				t.Errorf("after %v more, busy %v: %d looks, want %d", step.wait, step.busy, got, step.want)
			}
		}
		stop()
		<-ended
	})
}
