package hw

import (
	"context"
	"slices"
	"strings"

	"periph.io/x/conn/v3/physic"
)

// Board is the hardware that the agent runs on.
type Board interface {
	// String is the board's own name for itself, on one line.
	String() string
	// Sensors reads everything that can be read. What can't be read is listed with
	// its reason; the error is set only when there is nothing to list at all. It
	// returns within a second, whatever the hardware does.
	Sensors(ctx context.Context) (Readings, error)
	// Halt makes the board inert: outputs at their safe level, nothing in motion.
	// Reading goes on to work. It may be called more than once.
	Halt() error
}

// Unknown is the mode of a board that does not tell its mode.
const Unknown = "unknown"

// Readings is one look at the board. Lists are sorted by name.
type Readings struct {
	Temps    []Temp
	Rails    []Rail
	Counters []Counter
	Fan      Fan
	Memory   Memory
	// Mode is the power mode by its name, Unknown when it can't be told; ModeOff
	// says why.
	Mode, ModeOff string
}

// Temp is a temperature.
type Temp struct {
	Name  string
	Value physic.Temperature
	// Off says why there is no value; empty when there is one.
	Off string
}

// Rail is a supply rail.
type Rail struct {
	Name    string
	Voltage physic.ElectricPotential
	Current physic.ElectricCurrent
	Power   physic.Power
	Off     string // why there is no value
}

// Counter counts events since the board started, such as over-current.
type Counter struct {
	Name  string
	Count int64
	Off   string // why there is no value
}

// Fan is the board's fan.
type Fan struct {
	Drive    int    // percent of full drive
	DriveOff string // why Drive is not known
	RPM      int    // turns a minute
	RPMOff   string // why RPM is not known
}

// Memory is shared by processor and graphics.
type Memory struct {
	Total, Available int64 // bytes
	Off              string
}

// Sort puts the lists into their order. Drivers call it last.
func (r *Readings) Sort() {
	slices.SortStableFunc(r.Temps, func(a, b Temp) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.Rails, func(a, b Rail) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.Counters, func(a, b Counter) int { return strings.Compare(a.Name, b.Name) })
}

// Hottest is the highest temperature that is known; false when none is.
func (r Readings) Hottest() (Temp, bool) {
	var top Temp
	found := false
	for _, t := range r.Temps {
		if t.Off == "" && (!found || t.Value > top.Value) {
			top, found = t, true
		}
	}
	return top, found
}

// Above reports whether a temperature exceeds a limit. One that is missing or not
// known counts as hot, since a rule that needs it must not take silence for cool.
func (r Readings) Above(name string, limit physic.Temperature) bool {
	for _, t := range r.Temps {
		if t.Name == name && t.Off == "" {
			return t.Value > limit
		}
	}
	return true
}
