package hw

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Auto asks for the board that this machine is, whichever it is.
const Auto = "auto"

// Driver makes boards of one kind. Drivers are handed in so that this package needs
// none of them.
type Driver struct {
	// Kind is what a person asks for it by: jetson, sim.
	Kind string
	// Fits reports whether a machine is such a board, by what its device tree calls it.
	// Nil: it fits every machine, and auto never takes it.
	Fits func(model string) bool
	// Open gives the board of the system that stands under root; model is its own name
	// for itself.
	Open func(root, model string) (Board, error)
}

// None is the error of Open when there is no board of the kind that was asked for.
type None struct {
	Kind  string
	Model string // what this machine calls itself; empty when it does not say
}

func (e *None) Error() string {
	if e.Model == "" {
		return "this machine is no Jetson: it has no device tree that names one"
	}
	return fmt.Sprintf("this machine is no Jetson: it calls itself %q", e.Model)
}

// Hint says what to do about it.
func (*None) Hint() string {
	return "--board=sim gives a simulated one, --board=auto goes on without pins"
}

// Open finds the board of a kind, on the system that stands under root ("/" for
// this one). Auto gives *None where no driver fits; it never falls back to the
// simulated board.
func Open(kind, root string, drivers ...Driver) (Board, error) {
	model := modelOf(root)
	kinds := []string{Auto}
	for _, d := range drivers {
		fits := d.Fits == nil || d.Fits(model)
		switch {
		case kind == Auto && d.Fits != nil && fits, kind == d.Kind && fits:
			return d.Open(root, model)
		case kind == d.Kind:
			return nil, &None{Kind: kind, Model: model}
		}
		kinds = append(kinds, d.Kind)
	}
	if kind == Auto {
		return nil, &None{Kind: kind, Model: model}
	}
	last := len(kinds) - 1
	return nil, fmt.Errorf("there is no kind of board %q; write %s or %s", kind, strings.Join(kinds[:last], ", "), kinds[last])
}

// modelOf is what the machine under root calls itself in its device tree, on one
// line of at most 80 characters; empty where it has none.
func modelOf(root string) string {
	b, err := os.ReadFile(filepath.Join(root, "proc/device-tree/model"))
	if err != nil {
		return ""
	}
	text := strings.ToValidUTF8(string(bytes.TrimRight(b, "\x00\n")), "?")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80])
	}
	return text
}
