package hwtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
)

// The rules see what they are there to see.
func TestProblems(t *testing.T) {
	good := func() hw.Readings {
		return hw.Readings{
			Temps:    []hw.Temp{{Name: "cpu", Value: physic.ZeroCelsius}, {Name: "gpu", Off: "off"}},
			Rails:    []hw.Rail{{Name: "VDD_IN", Voltage: 5 * physic.Volt, Current: physic.Ampere, Power: 5 * physic.Watt}},
			Counters: []hw.Counter{{Name: "oc", Count: 3}},
			Mode:     "15W", Fan: hw.Fan{Drive: 50, RPMOff: "no tachometer"}, Memory: hw.Memory{Total: 8, Available: 4},
		}
	}
	if p := Problems(good()); p != nil {
		t.Fatal(p)
	}
	for _, tt := range []struct {
		change func(r *hw.Readings)
		want   []string
	}{
		{func(r *hw.Readings) { r.Temps[0].Name = "a b" }, []string{"a name is empty or has blanks: a b"}},
		{func(r *hw.Readings) { r.Rails[0].Name = "cpu" }, []string{"a name stands twice: cpu"}},
		{func(r *hw.Readings) { r.Temps[0], r.Temps[1] = r.Temps[1], r.Temps[0] }, []string{"a list is not sorted by name"}},
		{func(r *hw.Readings) { r.Temps[1].Value = 1 }, []string{"a temperature is off and has a value: gpu"}},
		{func(r *hw.Readings) { r.Temps[0].Value = 0 }, []string{"a temperature is not plausible: cpu"}},
		{func(r *hw.Readings) { r.Rails[0].Off = "off" }, []string{"a rail is off and has a value: VDD_IN"}},
		{func(r *hw.Readings) { r.Rails[0].Power = physic.Watt }, []string{"a rail's power is not voltage times current: VDD_IN"}},
		{func(r *hw.Readings) { r.Counters[0].Off = "off" }, []string{"a counter is negative, or off and has a value: oc"}},
		{func(r *hw.Readings) { r.Mode = "" }, []string{"the mode is empty, or unknown without a reason, or known with one: "}},
		{func(r *hw.Readings) { r.Mode = hw.Unknown }, []string{"the mode is empty, or unknown without a reason, or known with one: unknown"}},
		{func(r *hw.Readings) { r.Fan.RPM = 1 }, []string{"the fan is out of range, or off and has a value"}},
		{func(r *hw.Readings) { r.Memory.Available = 9 }, []string{"the memory does not add up"}},
	} {
		r := good()
		tt.change(&r)
		if d := cmp.Diff(tt.want, Problems(r)); d != "" {
			t.Error(d)
		}
	}
}
