package sim

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
)

// World is the simulated outside. Names are those of a real board.
type World struct {
	Temps    map[string]float64 `json:"temps"` // degrees Celsius
	Rails    map[string]Supply  `json:"rails"`
	Counters map[string]int64   `json:"counters"`
	Fan      FanState           `json:"fan"`
	Memory   MemoryState        `json:"memory"`
	Mode     string             `json:"mode"`
	// Off holds the reason for each reading that fails.
	Off map[string]string `json:"off"`
}

// Supply is a rail.
type Supply struct {
	Volts float64 `json:"volts"`
	Amps  float64 `json:"amps"`
}

// FanState is the fan.
type FanState struct {
	Percent int `json:"percent"`
	RPM     int `json:"rpm"`
}

// MemoryState is in mebibytes.
type MemoryState struct {
	TotalMiB     int64 `json:"total_mib"`
	AvailableMiB int64 `json:"available_mib"`
}

// powerModes are the power modes that the board has.
var powerModes = []string{"15W", "25W", "MAXN_SUPER"}

// Names of what is no list.
const (
	fanName    = "fan"
	memoryName = "memory"
	modeName   = "mode"
	boardName  = "board" // the whole board: with a fault it answers nothing
)

// fresh is the world before anybody changed it: an idle board on a bench.
func fresh() World {
	return World{
		Temps: map[string]float64{
			"cpu-thermal": 46, "gpu-thermal": 45.5, "soc0-thermal": 45, "soc1-thermal": 45.5, "soc2-thermal": 44.5, "tj-thermal": 46,
		},
		Rails: map[string]Supply{
			"VDD_IN": {4.984, 0.704}, "VDD_CPU_GPU_CV": {4.976, 0.088}, "VDD_SOC": {4.976, 0.228},
		},
		Counters: map[string]int64{"under-voltage": 0, "over-current-average": 0, "over-current-instant": 0},
		Fan:      FanState{Percent: 24, RPM: 2140},
		Memory:   MemoryState{TotalMiB: 7441, AvailableMiB: 5117},
		Mode:     "15W",
		Off:      map[string]string{},
	}
}

// names lists everything that can be set or fail, sorted.
func (w *World) names() []string {
	all := slices.Concat(
		slices.Collect(maps.Keys(w.Temps)), slices.Collect(maps.Keys(w.Rails)), slices.Collect(maps.Keys(w.Counters)),
		[]string{fanName, memoryName, modeName, boardName},
	)
	slices.Sort(all)
	return all
}

// The bounds of what a world may hold.
const (
	coldest, hottest = -60, 200   // degrees Celsius
	mostSupply       = 100        // volts or amperes
	mostCount        = 1 << 40    // events
	mostRPM          = 100_000    // turns a minute
	mostMiB          = 1024 << 10 // mebibytes
)

// check tells the first thing that no board could show.
func (w *World) check() error {
	for n, t := range w.Temps {
		if math.IsNaN(t) || t < coldest || t > hottest {
			return fmt.Errorf("%s = %v °C lies outside of %d to %d", n, t, coldest, hottest)
		}
	}
	for n, s := range w.Rails {
		if math.Abs(s.Volts) > mostSupply || math.Abs(s.Amps) > mostSupply || math.IsNaN(s.Volts+s.Amps) {
			return fmt.Errorf("%s = %v V, %v A lies outside of %d V and %d A", n, s.Volts, s.Amps, mostSupply, mostSupply)
		}
	}
	for n, c := range w.Counters {
		if c < 0 || c > mostCount {
			return fmt.Errorf("%s = %d is no count", n, c)
		}
	}
	return w.checkBoard()
}

// checkBoard tells what no board could show of what it has one of.
func (w *World) checkBoard() error {
	switch f, m := w.Fan, w.Memory; {
	case f.Percent < 0 || f.Percent > 100 || f.RPM < 0 || f.RPM > mostRPM:
		return fmt.Errorf("fan = %d %%, %d rpm lies outside of 100 %% and %d rpm", f.Percent, f.RPM, mostRPM)
	case m.TotalMiB < 1 || m.TotalMiB > mostMiB || m.AvailableMiB < 0 || m.AvailableMiB > m.TotalMiB:
		return fmt.Errorf("memory = %d of %d MiB does not add up", m.AvailableMiB, m.TotalMiB)
	case !slices.Contains(powerModes, w.Mode):
		return fmt.Errorf("mode = %q is none of %v", w.Mode, powerModes)
	}
	return nil
}

// readings is the world as sensors show it.
func (w *World) readings() (hw.Readings, error) {
	if off := w.Off[boardName]; off != "" {
		return hw.Readings{}, errors.New("the simulated board does not answer: " + off + "; agent sim set board=ok brings it back")
	}
	r := hw.Readings{Mode: w.Mode}
	for n, t := range w.Temps {
		x := hw.Temp{Name: n, Off: w.Off[n]}
		if x.Off == "" {
			x.Value = physic.ZeroCelsius + physic.Temperature(milli(t))*physic.MilliKelvin
		}
		r.Temps = append(r.Temps, x)
	}
	for n, s := range w.Rails {
		x := hw.Rail{Name: n, Off: w.Off[n]}
		if x.Off == "" {
			mv, ma := milli(s.Volts), milli(s.Amps)
			x.Voltage, x.Current = physic.ElectricPotential(mv)*physic.MilliVolt, physic.ElectricCurrent(ma)*physic.MilliAmpere
			x.Power = physic.Power(mv*ma) * physic.MicroWatt
		}
		r.Rails = append(r.Rails, x)
	}
	for n, c := range w.Counters {
		x := hw.Counter{Name: n, Off: w.Off[n]}
		if x.Off == "" {
			x.Count = c
		}
		r.Counters = append(r.Counters, x)
	}
	if r.Fan = (hw.Fan{Drive: w.Fan.Percent, RPM: w.Fan.RPM}); w.Off[fanName] != "" {
		r.Fan = hw.Fan{DriveOff: w.Off[fanName], RPMOff: w.Off[fanName]}
	}
	if r.Memory = (hw.Memory{Total: w.Memory.TotalMiB << 20, Available: w.Memory.AvailableMiB << 20}); w.Off[memoryName] != "" {
		r.Memory = hw.Memory{Off: w.Off[memoryName]}
	}
	if off := w.Off[modeName]; off != "" {
		r.Mode, r.ModeOff = hw.Unknown, off
	}
	r.Sort()
	return r, nil
}

// milli gives thousandths.
func milli(f float64) int64 { return int64(math.Round(f * 1000)) }
