package sim

import (
	"context"
	"errors"

	"hardshell/hw"
)

// modelName is what the board calls itself.
const modelName = "simulated Jetson Orin Nano"

// Board is the simulated board. Each look reads the state file anew, so that it
// sees what others changed.
type Board struct{ path string }

var _ hw.Board = (*Board)(nil)

// Open gives the board whose world is the file path. The file and its folder are
// made with the first change.
func Open(path string) (*Board, error) {
	if path == "" {
		return nil, errors.New("the simulated board needs a state file; name a state folder with --state")
	}
	return &Board{path}, nil
}

// String names the board and says that it is simulated.
func (*Board) String() string { return modelName }

// Halt has nothing to make inert yet: the board has no outputs.
func (*Board) Halt() error { return nil }

// Sensors reads the world.
func (b *Board) Sensors(ctx context.Context) (hw.Readings, error) {
	if ctx.Err() != nil {
		return hw.Readings{}, context.Cause(ctx)
	}
	w, err := load(b.path)
	if err != nil {
		return hw.Readings{}, err
	}
	return w.readings()
}

// World is the outside as it is now, faults and all.
func (b *Board) World() (World, error) { return load(b.path) }

// Set gives a reading a value with its unit ("71.5C", "4.9V", "1.2A", "60%"), or
// the mode a name. It ends the reading's fault; "off" takes the reading away, "ok"
// brings the old value back.
func (b *Board) Set(name, value string) error {
	return change(b.path, func(w *World) error { return w.set(name, value) })
}

// Fault makes a reading fail until it is set again; "board" makes all of them.
func (b *Board) Fault(name string) error {
	return change(b.path, func(w *World) error { return w.fail(name) })
}
