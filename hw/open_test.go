package hw

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"periph.io/x/conn/v3/physic"
)

// fake is a board that only has a name.
type fake string

func (f fake) String() string                          { return string(f) }
func (fake) Sensors(context.Context) (Readings, error) { return Readings{}, nil }
func (fake) Halt() error                               { return nil }

// device makes a system whose device tree names a model.
func device(t *testing.T, model string) string {
	t.Helper()
	root := t.TempDir()
	if model == "" {
		return root
	}
	dir := filepath.Join(root, "proc/device-tree")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model"), []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// isJetson fits what calls itself so.
func isJetson(model string) bool { return strings.Contains(model, "Jetson") }

var drivers = []Driver{
	{"jetson", isJetson, func(_, model string) (Board, error) { return fake("jetson: " + model), nil }},
	{"sim", nil, func(string, string) (Board, error) { return fake("sim"), nil }},
}

// The simulated board comes only to whoever names it.
func TestOpen(t *testing.T) {
	orin := device(t, "NVIDIA Jetson Orin Nano Developer Kit\x00")
	pi := device(t, "Raspberry Pi 5 Model B Rev 1.0\x00")
	pc := device(t, "")
	for _, tt := range []struct {
		kind, root string
		want       Board
		err        error
	}{
		{Auto, orin, fake("jetson: NVIDIA Jetson Orin Nano Developer Kit"), nil},
		{"jetson", orin, fake("jetson: NVIDIA Jetson Orin Nano Developer Kit"), nil},
		{"sim", orin, fake("sim"), nil},
		{"sim", pc, fake("sim"), nil},
		{Auto, pc, nil, &None{Kind: Auto}},
		{Auto, pi, nil, &None{Kind: Auto, Model: "Raspberry Pi 5 Model B Rev 1.0"}},
		{"jetson", pi, nil, &None{Kind: "jetson", Model: "Raspberry Pi 5 Model B Rev 1.0"}},
		{"jetson", pc, nil, &None{Kind: "jetson"}},
	} {
		got, err := Open(tt.kind, tt.root, drivers...)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.kind, d)
		}
		var none *None
		if errors.As(err, &none); tt.err != nil {
			if d := cmp.Diff(tt.err, error(none)); d != "" {
				t.Errorf("%s: error %s", tt.kind, d)
			}
		} else if err != nil {
			t.Errorf("%s: %v", tt.kind, err)
		}
	}
	if b, err := Open("pi", orin, drivers...); b != nil || err == nil || err.Error() != `there is no kind of board "pi"; write auto, jetson or sim` {
		t.Errorf("%v, %v", b, err)
	}
}

func TestOpenPassesTheDriversErrorOn(t *testing.T) {
	broken := errors.New("broken")
	fails := func(string, string) (Board, error) { return nil, broken }
	root := device(t, "Jetson")
	for _, kind := range []string{Auto, "jetson", "sim"} {
		if _, err := Open(kind, root, Driver{"jetson", isJetson, fails}, Driver{"sim", nil, fails}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestNoneSaysWhatToDo(t *testing.T) {
	got := [][]string{
		{(&None{}).Error(), (&None{}).Hint()},
		{(&None{Model: "Raspberry Pi"}).Error(), (&None{}).Hint()},
	}
	const hint = "--board=sim gives a simulated one, --board=auto goes on without pins"
	want := [][]string{
		{"this machine is no Jetson: it has no device tree that names one", hint},
		{`this machine is no Jetson: it calls itself "Raspberry Pi"`, hint},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestModelIsOneShortLine(t *testing.T) {
	long := make([]byte, 200)
	for i := range long {
		long[i] = 'x'
	}
	for in, want := range map[string]string{
		"NVIDIA Jetson\x00\n":     "NVIDIA Jetson",
		"a\nb\tc\x1b[2J\x00d\x00": "a b c [2J d",
		"\xff\xfe":                "?",
		string(long):              string(long[:80]),
		"\x00":                    "",
	} {
		if got := modelOf(device(t, in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// celsius makes a temperature of whole degrees.
func celsius(n int64) physic.Temperature {
	return physic.ZeroCelsius + physic.Temperature(n)*physic.Celsius
}

// What is not known is left out of the maximum, and counts as hot where a rule
// needs it.
func TestCase161_MissingIsNeitherCoolNorHottest(t *testing.T) {
	r := Readings{Temps: []Temp{
		{Name: "gpu-thermal", Off: "unavailable"},
		{Name: "cpu-thermal", Value: celsius(40)},
		{Name: "tj-thermal", Value: celsius(60)},
	}}
	top, ok := r.Hottest()
	if d := cmp.Diff([]any{Temp{Name: "tj-thermal", Value: celsius(60)}, true}, []any{top, ok}); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]bool{"cpu-thermal": false, "tj-thermal": true, "gpu-thermal": true, "no such zone": true} {
		if got := r.Above(name, celsius(50)); got != want {
			t.Errorf("%s above 50 °C: %v", name, got)
		}
	}
	if r.Above("tj-thermal", celsius(60)) {
		t.Error("the limit itself is above the limit")
	}
	if top, ok := (Readings{Temps: r.Temps[:1]}).Hottest(); ok {
		t.Errorf("nothing is known and %+v is the hottest", top)
	}
	cold := Readings{Temps: []Temp{{Name: "a", Value: celsius(-20)}, {Name: "b", Value: celsius(-30)}}}
	if top, _ := cold.Hottest(); top.Name != "a" {
		t.Errorf("the hottest below zero is %+v", top)
	}
}

func TestSort(t *testing.T) {
	r := Readings{
		Temps: []Temp{{Name: "b"}, {Name: "a"}}, Rails: []Rail{{Name: "b"}, {Name: "a"}}, Counters: []Counter{{Name: "b"}, {Name: "a"}},
	}
	r.Sort()
	want := Readings{
		Temps: []Temp{{Name: "a"}, {Name: "b"}}, Rails: []Rail{{Name: "a"}, {Name: "b"}}, Counters: []Counter{{Name: "a"}, {Name: "b"}},
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
}
