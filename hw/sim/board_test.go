package sim

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
	"hardshell/hw/hwtest"
)

// open gives a board with a world of its own.
func open(t *testing.T) *Board {
	t.Helper()
	b, err := Open(filepath.Join(t.TempDir(), "state", "sim.json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func world(t *testing.T, b *Board) World {
	t.Helper()
	w, err := b.World()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestConformance(t *testing.T) {
	hwtest.TestBoard(t, func(t *testing.T) hw.Board { return open(t) })
	hwtest.TestBoard(t, func(t *testing.T) hw.Board { // everything that can fail alone has failed
		b := open(t)
		for _, n := range world(t, b).list() {
			if err := b.Fault(n); err != nil && n != boardName {
				t.Fatal(err)
			}
		}
		if err := b.Set(boardName, "ok"); err != nil {
			t.Fatal(err)
		}
		return b
	})
}

// list is names for a value.
func (w World) list() []string { return w.names() }

func TestFreshReadings(t *testing.T) {
	b := open(t)
	got, err := b.Sensors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	temp := func(name string, milli int64) hw.Temp {
		return hw.Temp{Name: name, Value: physic.ZeroCelsius + physic.Temperature(milli)*physic.MilliKelvin}
	}
	rail := func(name string, mv, ma int64) hw.Rail {
		return hw.Rail{Name: name, Voltage: physic.ElectricPotential(mv) * physic.MilliVolt, Current: physic.ElectricCurrent(ma) * physic.MilliAmpere, Power: physic.Power(mv*ma) * physic.MicroWatt}
	}
	want := hw.Readings{
		Temps: []hw.Temp{
			temp("cpu-thermal", 46000), temp("gpu-thermal", 45500), temp("soc0-thermal", 45000),
			temp("soc1-thermal", 45500), temp("soc2-thermal", 44500), temp("tj-thermal", 46000),
		},
		Rails:    []hw.Rail{rail("VDD_CPU_GPU_CV", 4976, 88), rail("VDD_IN", 4984, 704), rail("VDD_SOC", 4976, 228)},
		Counters: []hw.Counter{{Name: "over-current-average"}, {Name: "over-current-instant"}, {Name: "under-voltage"}},
		Fan:      hw.Fan{Drive: 24, RPM: 2140}, Memory: hw.Memory{Total: 7441 << 20, Available: 5117 << 20}, Mode: "15W",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := os.Stat(filepath.Dir(b.path)); err == nil {
		t.Error("looking made the state folder")
	}
}

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		change      func(w *World)
		err         string
	}{
		{"tj-thermal", "71.5", func(w *World) { w.Temps["tj-thermal"] = 71.5 }, ""},
		{"TJ", "-3 °C", func(w *World) { w.Temps["tj-thermal"] = -3 }, ""},
		{"cpu", "90C", func(w *World) { w.Temps["cpu-thermal"] = 90 }, ""},
		{"VDD_IN", "4.2V", func(w *World) { w.Rails["VDD_IN"] = Supply{4.2, 0.704} }, ""},
		{"vdd_in", "1200 mA", func(w *World) { w.Rails["VDD_IN"] = Supply{4.984, 1.2} }, ""},
		{"VDD_IN", "4900mV", func(w *World) { w.Rails["VDD_IN"] = Supply{4.9, 0.704} }, ""},
		{"VDD_IN", "2A", func(w *World) { w.Rails["VDD_IN"] = Supply{4.984, 2} }, ""},
		{"under-voltage", "3", func(w *World) { w.Counters["under-voltage"] = 3 }, ""},
		{"fan", "60%", func(w *World) { w.Fan.Percent = 60 }, ""},
		{"fan", "0rpm", func(w *World) { w.Fan.RPM = 0 }, ""},
		{"memory", "512MiB", func(w *World) { w.Memory.AvailableMiB = 512 }, ""},
		{"mode", "maxn_super", func(w *World) { w.Mode = "MAXN_SUPER" }, ""},
		{"mode", "off", func(w *World) { w.Off["mode"] = "unavailable: switched off" }, ""},
		{"mode", "7W", nil, `there is no mode "7W"; the board has 15W, 25W, MAXN_SUPER`},
		{"cpu", "hot", nil, `cpu-thermal = "hot" is no number with a unit; write cpu-thermal=71.5C, ok or off`},
		{"cpu", "300", nil, `nothing was changed: cpu-thermal = 300 °C lies outside of -60 to 200`},
		{"cpu", "50F", nil, `cpu-thermal = "50F" does not fit; write cpu-thermal=71.5C, ok or off`},
		{"VDD_IN", "5", nil, `VDD_IN = "5" does not fit; write VDD_IN=4.9V or VDD_IN=1.2A, ok or off`},
		{"VDD_IN", "500V", nil, `nothing was changed: VDD_IN = 500 V, 0.704 A lies outside of 100 V and 100 A`},
		{"under-voltage", "1.5", nil, `under-voltage = "1.5" does not fit; write under-voltage=3, ok or off`},
		{"under-voltage", "-1", nil, `nothing was changed: under-voltage = -1 is no count`},
		{"fan", "101%", nil, `nothing was changed: fan = 101 %, 2140 rpm lies outside of 100 % and 100000 rpm`},
		{"fan", "5", nil, `fan = "5" does not fit; write fan=60% or fan=2140rpm, ok or off`},
		{"memory", "9999MiB", nil, `nothing was changed: memory = 9999 of 7441 MiB does not add up`},
		{"board", "5", nil, `board = "5": write board=ok or board=off`},
		{"pump", "1", nil, `the simulated board has no "pump"; it has VDD_CPU_GPU_CV, VDD_IN, VDD_SOC, board, cpu-thermal, fan, gpu-thermal, memory, mode, over-current-average, over-current-instant, soc0-thermal, soc1-thermal, soc2-thermal, tj-thermal, under-voltage`},
	} {
		b, want := open(t), fresh()
		err := b.Set(tt.name, tt.value)
		if tt.change != nil {
			tt.change(&want)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if d := cmp.Diff(tt.err, got) + cmp.Diff(want, world(t, b)); d != "" {
			t.Errorf("%s=%s (-want +got):\n%s", tt.name, tt.value, d)
		}
		if _, err := os.Stat(b.path); (err == nil) != (tt.err == "") {
			t.Errorf("%s=%s: file: %v", tt.name, tt.value, err)
		}
	}
}

// A fault stays until the reading is set again, over the end of the process.
func TestFault(t *testing.T) {
	b := open(t)
	for _, n := range []string{"tj", "VDD_IN", "fan"} {
		if err := b.Fault(n); err != nil {
			t.Fatal(err)
		}
	}
	later, err := Open(b.path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := later.Sensors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := []any{r.Temps[5], r.Rails[1], r.Fan}
	want := []any{hw.Temp{Name: "tj-thermal", Off: faulty}, hw.Rail{Name: "VDD_IN", Off: faulty}, hw.Fan{DriveOff: faulty, RPMOff: faulty}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := later.Set("tj", "80"); err != nil {
		t.Fatal(err)
	}
	if err := later.Set("fan", "ok"); err != nil {
		t.Fatal(err)
	}
	wantWorld := fresh()
	wantWorld.Temps["tj-thermal"], wantWorld.Off["VDD_IN"] = 80, faulty
	if d := cmp.Diff(wantWorld, world(t, b)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := b.Fault("pump"); err == nil || !strings.HasPrefix(err.Error(), `the simulated board has no "pump"; it has `) {
		t.Errorf("%v", err)
	}
}

func TestBoardThatDoesNotAnswer(t *testing.T) {
	b := open(t)
	if err := b.Fault("board"); err != nil {
		t.Fatal(err)
	}
	_, err := b.Sensors(t.Context())
	const want = "the simulated board does not answer: unavailable: simulated fault; agent sim set board=ok brings it back"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if err := b.Set("board", "ok"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sensors(t.Context()); err != nil {
		t.Error(err)
	}
}

// Changes at once, as by several processes, lose nothing: each has the file open
// on its own.
func TestChangesAtOnce(t *testing.T) {
	b := open(t)
	want := fresh()
	var wg sync.WaitGroup
	for _, n := range []string{"cpu-thermal", "gpu-thermal", "soc0-thermal", "soc1-thermal", "soc2-thermal", "tj-thermal"} {
		want.Temps[n] = 71
		wg.Go(func() {
			if err := b.Set(n, "71"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if d := cmp.Diff(want, world(t, b)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBadFileIsNeverReplaced(t *testing.T) {
	for text, why := range map[string]string{
		"":                             "EOF",
		"{":                            "unexpected EOF",
		`{"pins":{}}`:                  `json: unknown field "pins"`,
		`{} {}`:                        "something follows its JSON object",
		`{"temps":{"moon":1}}`:         `it has no reading "moon"`,
		`{"temps":{"tj-thermal":1e9}}`: "tj-thermal = 1e+09 °C lies outside of -60 to 200",
		`{"mode":"7W"}`:                `mode = "7W" is none of [15W 25W MAXN_SUPER]`,
	} {
		b := open(t)
		if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(b.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := b.path + " is no simulated board: " + why + "; correct it, or remove it for a fresh one"
		_, err := b.Sensors(t.Context())
		for _, err := range []error{err, b.Set("mode", "25W"), b.Fault("tj")} {
			if err == nil || err.Error() != want {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		}
		if now, _ := os.ReadFile(b.path); string(now) != text {
			t.Errorf("%q became %q", text, now)
		}
	}
}

func TestOpenWantsAPath(t *testing.T) {
	if b, err := Open(""); b != nil || err == nil || err.Error() != "the simulated board needs a state file; name a state folder with --state" {
		t.Errorf("%v, %v", b, err)
	}
}

// Whatever the file holds, it is refused or gives readings that keep the rules,
// and survives being written and read again.
func FuzzWorld(f *testing.F) {
	f.Add([]byte(`{"temps":{"tj-thermal":71.5},"off":{"fan":"broken"},"mode":"25W"}`), "VDD_IN", "4.9V")
	f.Add([]byte(`{"rails":{"VDD_IN":{"volts":1e308,"amps":-1}},"off":null}`), "fan", "60%")
	f.Add([]byte(`{"temps":null,"counters":null,"memory":{"total_mib":9e18}}`), "cpu", "1e9")
	f.Fuzz(func(t *testing.T, data []byte, name, value string) {
		w, err := parse(data)
		if err != nil {
			return
		}
		if err := w.set(name, value); err != nil || w.check() != nil {
			return
		}
		if r, err := w.readings(); err == nil {
			if p := hwtest.Problems(r); p != nil {
				t.Errorf("%+v: %v", r, p)
			}
		}
		out, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if out2, err := json.Marshal(again); err != nil || !bytes.Equal(out, out2) {
			t.Errorf("%s became %s, %v", out, out2, err)
		}
	})
}
