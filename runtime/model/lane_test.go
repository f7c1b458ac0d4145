package model_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
)

func TestCase035_OneInFlightPersonFirstAndTheQueueIsVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := model.NewLane()
		began := time.Now()
		var mu sync.Mutex
		var log []string
		inFlight, most := 0, 0
		serve := func(p model.Priority, label string) { // 20 s each
			release, err := lane.Acquire(t.Context(), p, label)
			if err != nil {
				t.Errorf("%s: %v", label, err)
				return
			}
			defer release()
			mu.Lock()
			inFlight++
			most = max(most, inFlight)
			mu.Unlock()
			<-time.After(20 * time.Second)
			mu.Lock()
			inFlight--
			log = append(log, fmt.Sprintf("%s after %v", label, time.Since(began)))
			mu.Unlock()
		}
		for _, w := range []struct {
			p     model.Priority
			label string
		}{{model.Sub, "sub:1"}, {model.Sub, "sub:2"}, {model.Warmup, "warm"}, {model.Scheduled, "job"}, {model.Approval, "approved"}, {model.Person, "chat"}} {
			go serve(w.p, w.label)
			synctest.Wait() // arrivals in this order
		}
		if d := cmp.Diff([]string{"chat", "approved", "job", "sub:2", "warm"}, lane.Queue()); d != "" {
			t.Errorf("queue (-want +got):\n%s", d)
		}
		if label, busy := lane.Busy(); !busy || label != "sub:1" {
			t.Errorf("busy with %q, %v", label, busy)
		}
		<-time.After(time.Hour)
		synctest.Wait()
		want := []string{"sub:1 after 20s", "chat after 40s", "approved after 1m0s", "job after 1m20s", "sub:2 after 1m40s", "warm after 2m0s"}
		if d := cmp.Diff(want, log); d != "" {
			t.Errorf("order (-want +got):\n%s", d)
		}
		if most != 1 {
			t.Errorf("%d requests in flight at once", most)
		}
		if label, busy := lane.Busy(); busy || label != "" {
			t.Errorf("still busy with %q", label)
		}
	})
}

func TestLane_EqualPrioritiesGoByArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := model.NewLane()
		hold, err := lane.Acquire(t.Context(), model.Person, "first")
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		var got []string
		for i := range 5 {
			label := fmt.Sprint(i)
			want = append(want, label)
			go func() {
				release, err := lane.Acquire(t.Context(), model.Scheduled, label)
				if err != nil {
					t.Error(err)
					return
				}
				got = append(got, label)
				release()
			}()
			synctest.Wait()
		}
		hold()
		hold() // releasing twice frees nothing twice
		synctest.Wait()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("order (-want +got):\n%s", d)
		}
	})
}

func TestLane_AWaiterThatGivesUpLeavesTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := model.NewLane()
		hold, err := lane.Acquire(t.Context(), model.Person, "first")
		if err != nil {
			t.Fatal(err)
		}
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		gaveUp := make(chan error, 1)
		go func() {
			_, err := lane.Acquire(ctx, model.Person, "second")
			gaveUp <- err
		}()
		synctest.Wait()
		cancel(stopped)
		if err := <-gaveUp; !errors.Is(err, stopped) {
			t.Errorf("error %v, want the cause", err)
		}
		if q := lane.Queue(); len(q) != 0 {
			t.Errorf("queue %v, want none", q)
		}
		if _, err := lane.Acquire(ctx, model.Person, "third"); !errors.Is(err, stopped) {
			t.Errorf("a dead context gave %v", err)
		}
		hold()
		release, err := lane.Acquire(t.Context(), model.Warmup, "fourth")
		if err != nil {
			t.Fatal(err)
		}
		release()
	})
}

func TestLane_GivingUpInTheMomentOfTheTurnPassesItOn(t *testing.T) {
	for range 200 { // either may win
		synctest.Test(t, func(t *testing.T) {
			lane := model.NewLane()
			hold, err := lane.Acquire(t.Context(), model.Person, "first")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if release, err := lane.Acquire(ctx, model.Person, "second"); err == nil {
					release()
				}
			}()
			synctest.Wait()
			cancel()
			hold() // often before the waiter has left the line
			synctest.Wait()
			if label, busy := lane.Busy(); busy {
				t.Fatalf("the lane is held by %q, which gave up", label)
			}
		})
	}
}

// TestLane_NobodyIsForgotten mixes waiting and giving up at the same moments: in
// the end the lane is free again.
func TestLane_NobodyIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := model.NewLane()
		var served, gone int
		var mu sync.Mutex
		for i := range 60 {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Second)
				defer cancel()
				release, err := lane.Acquire(ctx, model.Priority(i%5), "x")
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					gone++
					return
				}
				served++
				time.AfterFunc(time.Second, release)
			}()
		}
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if _, busy := lane.Busy(); busy || len(lane.Queue()) != 0 || served+gone != 60 || served < 2 {
			t.Errorf("busy %v, queue %v, %d served, %d gave up", busy, lane.Queue(), served, gone)
		}
	})
}

func TestPriority_Order(t *testing.T) {
	ps := []model.Priority{model.Person, model.Approval, model.Scheduled, model.Sub, model.Warmup}
	if !slices.IsSorted(ps) {
		t.Errorf("priorities %v are out of order", ps)
	}
}
