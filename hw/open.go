package hw

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The kinds of board that can be asked for.
const (
	Auto   = "auto"   // a Jetson if this is one
	Jetson = "jetson" // a Jetson or an error
	Sim    = "sim"    // the simulated one
)

// Drivers make boards. They are handed in so that this package needs none of them.
type Drivers struct {
	// Jetson drives the Jetson whose system stands under root; model is its own
	// name for itself.
	Jetson func(root, model string) (Board, error)
	// Sim gives the simulated board.
	Sim func() (Board, error)
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
// this one). Auto gives *None where there is no Jetson; it never falls back to
// the simulated board.
func Open(kind, root string, d Drivers) (Board, error) {
	switch kind {
	case Sim:
		return d.Sim()
	case Auto, Jetson:
		model := modelOf(root)
		if !strings.Contains(model, "Jetson") {
			return nil, &None{Kind: kind, Model: model}
		}
		return d.Jetson(root, model)
	}
	return nil, fmt.Errorf("there is no kind of board %q; write %s, %s or %s", kind, Auto, Jetson, Sim)
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
