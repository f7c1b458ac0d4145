package board

import (
	"context"
	"errors"
	"testing"

	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// fakeBoard gives readings or an error.
type fakeBoard struct {
	readings hw.Readings
	err      error
}

func (b fakeBoard) Sensors(context.Context) (hw.Readings, error) { return b.readings, b.err }

func sampleReadings() hw.Readings {
	return hw.Readings{
		Temps: []hw.Temp{
			{Name: "cpu-thermal", Value: physic.ZeroCelsius + 46_500*physic.MilliKelvin},
			{Name: "cv0-thermal", Off: "offline: its block is switched off"},
			{Name: "tj-thermal", Value: physic.ZeroCelsius - 3*physic.Celsius},
		},
		Rails: []hw.Rail{
			{Name: "VDD_IN", Voltage: 4984 * physic.MilliVolt, Current: 1856 * physic.MilliAmpere, Power: 9250304 * physic.MicroWatt},
			{Name: "VDD_SOC", Off: "offline: it does not answer"},
		},
		Counters: []hw.Counter{{Name: "over-current-instant", Count: 37}, {Name: "under-voltage", Off: "unavailable: broken"}},
		Fan:      hw.Fan{Drive: 24, RPM: 2140}, Memory: hw.Memory{Total: 7441 << 20, Available: 5117 << 20}, Mode: "15W",
	}
}

func TestSensors(t *testing.T) {
	d := newBoardDoor(t, NewSensors(fakeBoard{readings: sampleReadings()}))
	const all = `cpu-thermal: 46.5 °C
cv0-thermal: offline: its block is switched off
tj-thermal: -3.0 °C
VDD_IN: 4.984 V, 1.856 A, 9.250 W
VDD_SOC: offline: it does not answer
fan: drive 24 %, speed 2140 rpm
over-current-instant: 37 events since start
under-voltage: unavailable: broken
memory: 5117 MiB of 7441 MiB available
mode: 15W
hottest: cpu-thermal, 46.5 °C`
	for args, want := range map[string]tools.Result{
		`{}`:                               {Outcome: tools.OK, Text: all},
		`{"names":[]}`:                     {Outcome: tools.OK, Text: all},
		`{"names":["tj","vdd_in","mode"]}`: {Outcome: tools.OK, Text: "tj-thermal: -3.0 °C\nVDD_IN: 4.984 V, 1.856 A, 9.250 W\nmode: 15W"},
		`{"names":["cv0-thermal"]}`:        {Outcome: tools.OK, Text: "cv0-thermal: offline: its block is switched off"},
		`{"names":["tj","pump","3"]}`: {Outcome: tools.Failed, Text: `failed: no reading is named "pump", "3"; take from cpu-thermal, cv0-thermal, tj-thermal, VDD_IN, VDD_SOC, ` +
			`fan, over-current-instant, under-voltage, memory, mode, hottest, or leave names out for all`},
	} {
		got := d.Do(t, "sensors", args)
		toolstest.Diff(t, args, tools.Result{Outcome: got.Outcome, Text: got.Text}, want)
	}
}

// The shipped policy's own rule for looking around lets it through, at any hour
// and with nobody present.
func TestSensorsIsAStatusAction(t *testing.T) {
	plan, err := NewSensors(fakeBoard{}).Prepare(t.Context(), tools.Origin{Run: "cron"}, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "action", plan.Action, policy.Action{Tool: "sensors", Kind: policy.Look{}})
}

func TestSensorsOfWhatIsNotKnown(t *testing.T) {
	const off = "unavailable: no\x1b[2J such file"
	d := newBoardDoor(t, NewSensors(fakeBoard{readings: hw.Readings{
		Temps: []hw.Temp{{Name: "thermal", Off: off}}, Fan: hw.Fan{DriveOff: "none", RPMOff: "none"}, Memory: hw.Memory{Off: "none"},
		Mode: hw.Unknown, ModeOff: "the status file names no mode",
	}}))
	toolstest.Diff(t, "text", d.Do(t, "sensors", `{}`).Text, "thermal: unavailable: no such file\nfan: none\nmemory: none\nmode: unknown, the status file names no mode")
	d = newBoardDoor(t, NewSensors(fakeBoard{readings: hw.Readings{Mode: "7W", Fan: hw.Fan{Drive: 24, RPMOff: "unavailable"}}}))
	toolstest.Diff(t, "text", d.Do(t, "sensors", `{"names":["fan"]}`).Text, "fan: drive 24 %, speed unavailable")
}

func TestSensorsOfABoardThatDoesNotAnswer(t *testing.T) {
	d := newBoardDoor(t, NewSensors(fakeBoard{err: errors.New("bus fault")}))
	got := d.Do(t, "sensors", `{}`)
	toolstest.Diff(t, "result", []any{got.Outcome, got.Text}, []any{tools.Failed, "failed: the board can't be read: bus fault; go on without it"})
}

func newBoardDoor(t *testing.T, sensors *Sensors) *toolstest.Door {
	t.Helper()
	d := toolstest.NewDoor(t)
	d.Add(sensors)
	return d
}
