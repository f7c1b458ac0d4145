package recipes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
	"hardshell/hw/hwtest"
)

// benchBoard is a board with one thermometer and one supply.
type benchBoard struct{ model string }

var _ hw.Board = benchBoard{}

func (b benchBoard) String() string { return b.model }

func (benchBoard) Sensors(ctx context.Context) (hw.Readings, error) {
	if err := context.Cause(ctx); err != nil {
		return hw.Readings{}, err
	}
	return hw.Readings{
		Temps: []hw.Temp{{Name: "bench", Value: physic.ZeroCelsius + 21*physic.Celsius}},
		Rails: []hw.Rail{{Name: "supply", Voltage: 12 * physic.Volt, Current: 2 * physic.Ampere, Power: 24 * physic.Watt}},
		Fan:   hw.Fan{DriveOff: "there is none", RPMOff: "there is none"}, Memory: hw.Memory{Off: "not told"},
		Mode: hw.Unknown, ModeOff: "it has one only",
	}, nil
}

func (benchBoard) Halt() error { return nil }

// benchDriver is the one line of cmd/agent/app/machine.go.
var benchDriver = hw.Driver{
	Kind: "bench",
	Fits: func(model string) bool { return strings.HasPrefix(model, "Bench") },
	Open: func(_, model string) (hw.Board, error) { return benchBoard{model}, nil },
}

// TestBoardRecipe opens the new board by its kind and by what the machine says it is.
func TestBoardRecipe(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "proc/device-tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "proc/device-tree/model"), []byte("Bench 3\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"bench", hw.Auto} {
		b, err := hw.Open(kind, root, benchDriver)
		if err != nil || b.String() != "Bench 3" {
			t.Errorf("%s gives %v, %v", kind, b, err)
		}
	}
	if _, err := hw.Open("bench", t.TempDir(), benchDriver); err == nil {
		t.Error("a machine that is no such board has opened")
	}
}

// TestBoardConduct holds the new board to what every board does.
func TestBoardConduct(t *testing.T) {
	hwtest.TestBoard(t, func(*testing.T) hw.Board { return benchBoard{"Bench 3"} })
}
