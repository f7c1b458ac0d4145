package app

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/hw"
	"hardshell/hw/sim"
	"hardshell/runtime/prompt"
)

func TestHealthOf_SimulatedBoard(t *testing.T) {
	b, err := sim.Open(filepath.Join(t.TempDir(), "sim.json"))
	if err != nil {
		t.Fatal(err)
	}
	fresh := map[string]float64{"cpu-thermal": 46, "gpu-thermal": 45.5, "soc0-thermal": 45, "soc1-thermal": 45.5, "soc2-thermal": 44.5}
	for _, one := range []string{"tj-thermal", "under-voltage", "mode"} {
		if err := b.Fault(one); err != nil {
			t.Fatal(err)
		}
	}
	// What fails is left out and never zero.
	want := prompt.Health{Temps: fresh, Counters: map[string]int64{"over-current-average": 0, "over-current-instant": 0}}
	if d := cmp.Diff(want, healthOf(b)(t.Context())); d != "" {
		t.Error(d)
	}
	if err := b.Fault("board"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(prompt.Health{}, healthOf(b)(t.Context())); d != "" {
		t.Errorf("a board that gives nothing: %s", d)
	}
	if healthOf(nil) != nil {
		t.Error("no board has nothing to say")
	}
}

// slow is a board that takes its time; it counts its looks.
type slow struct {
	hw.Board
	takes time.Duration
	err   error
	looks int
}

func (b *slow) Sensors(context.Context) (hw.Readings, error) {
	b.looks++
	n := b.looks
	time.Sleep(b.takes)
	return hw.Readings{Mode: "15W", Counters: []hw.Counter{{Name: "oc", Count: int64(n)}}}, b.err
}

func TestHealthOf_NoTurnWaitsForASlowBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &slow{takes: 10 * time.Millisecond}
		look := healthOf(b)
		type seen struct {
			Count int64
			Took  time.Duration
		}
		var got []seen
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		see := func() {
			began := time.Now()
			h := look(t.Context())
			got = append(got, seen{h.Counters["oc"], time.Since(began)})
		}
		see()
		see() // fresh: the board is left alone
		pass(gaugeFresh)
		b.takes = time.Second
		see() // in time it is not, what was seen last still holds
		see() // nobody waits twice for one look
		pass(time.Second)
		see() // it served the next turn
		pass(gaugeStale)
		see() // and is too old at last
		pass(time.Second)
		b.takes, b.err = 0, errors.New("gone")
		pass(gaugeFresh)
		see()
		want := []seen{{1, 10 * time.Millisecond}, {1, 0}, {1, gaugePatience}, {1, 0}, {2, 0}, {0, gaugePatience}, {0, 0}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}
