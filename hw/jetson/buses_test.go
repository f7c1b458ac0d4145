package jetson

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hardshell/hw"
)

func TestBuses(t *testing.T) {
	dev := fstest.MapFS{}
	for _, name := range []string{"i2c-7", "i2c-1", "spidev0.0", "ttyTHS1", "ttyUSB0", "i2c", "gpiochip0", "null"} {
		dev["dev/"+name] = &fstest.MapFile{}
	}
	b, err := Open(dev, "Jetson")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"i2c-1", "i2c-7", "spidev0.0", "ttyTHS1"}, hw.Buses(b)); d != "" {
		t.Error(d)
	}
	empty, err := Open(fstest.MapFS{}, "Jetson")
	if err != nil || hw.Buses(empty) != nil || hw.Buses(nil) != nil {
		t.Errorf("a board without /dev, or none: %v %v", hw.Buses(empty), err)
	}
}
