package app

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
)

// reading is a board that gives one reading after another.
type reading struct {
	hw.Board
	next []hw.Readings
	err  error
}

func (b *reading) Sensors(context.Context) (hw.Readings, error) {
	if b.err != nil {
		return hw.Readings{}, b.err
	}
	r := b.next[0]
	b.next = b.next[1:]
	return r, nil
}

func TestSpare(t *testing.T) {
	at := func(celsius int64, oc ...int64) hw.Readings {
		r := hw.Readings{Temps: []hw.Temp{{Name: "tj-thermal", Value: physic.ZeroCelsius + physic.Temperature(celsius)*physic.Kelvin}, {Name: "gpu", Off: "busy"}}}
		for _, n := range oc {
			r.Counters = append(r.Counters, hw.Counter{Name: "oc1", Count: n})
		}
		return r
	}
	blind := hw.Readings{Temps: []hw.Temp{{Name: "gpu", Off: "busy"}}, Counters: []hw.Counter{{Name: "oc1", Off: "no right to"}}}
	const power = "the board counted 2 more of oc1: it is short of power"
	for name, c := range map[string]struct {
		limit int
		next  []hw.Readings
		want  []string
	}{
		"cool":            {80, []hw.Readings{at(60), at(80)}, []string{"", ""}},
		"hot":             {80, []hw.Readings{at(81), at(79)}, []string{"tj-thermal is at 81 °C, above model.warm_up_max_temp = 80", ""}},
		"no limit":        {0, []hw.Readings{at(110)}, []string{""}},
		"nothing known":   {80, []hw.Readings{blind}, []string{"the board tells no temperature"}},
		"over-current":    {80, []hw.Readings{at(60, 5), at(60, 7), at(60, 7)}, []string{"", power, ""}},
		"also when cool":  {0, []hw.Readings{at(60, 0), at(60, 2)}, []string{"", power}},
		"a counter comes": {0, []hw.Readings{blind, at(60, 2)}, []string{"", power}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &reading{next: c.next}
			spare := spareOf(b, c.limit)
			var got []string
			for range c.next {
				got = append(got, spare(t.Context()))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	broken := spareOf(&reading{err: errors.New("no answer")}, 0)
	if got := broken(t.Context()); got != "the board's sensors can't be read: no answer" {
		t.Errorf("%q", got)
	}
	if spareOf(nil, 80) != nil {
		t.Error("no board has nothing to say")
	}
}
