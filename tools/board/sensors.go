package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"hardshell/hw"
	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/text"
)

// Board is what the sensors tool needs of the hardware.
type Board interface {
	Sensors(ctx context.Context) (hw.Readings, error)
}

// Sensors tells the model what the board measures.
type Sensors struct{ board Board }

// NewSensors makes the sensors tool.
func NewSensors(b Board) *Sensors { return &Sensors{board: b} }

var _ tools.Tool = (*Sensors)(nil)

type sensorsArgs struct {
	Names []string `json:"names,omitempty"`
}

var sensorsSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "sensors",
		Description: "Read the board's sensors",
		Guide:       "temperatures, rails, fan, power mode, memory",
		Schema:      args.SchemaOf[sensorsArgs](),
	}
})

// Spec is how sensors is offered.
func (*Sensors) Spec() tools.Spec { return sensorsSpec() }

// Prepare needs nothing: reading changes nothing.
func (t *Sensors) Prepare(_ context.Context, _ tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a sensorsArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	return tools.Prepared{
		Action: policy.Action{Tool: sensorsSpec().Name, Kind: policy.Look{}},
		Do: func(ctx context.Context, _ tools.Judged, _ func(string)) (tools.Output, error) {
			r, err := t.board.Sensors(ctx)
			if err != nil {
				return tools.Output{}, fmt.Errorf("the board can't be read: %w; go on without it", err)
			}
			text, err := pick(readingLines(r), a.Names)
			return tools.Output{Text: text}, err
		},
	}, nil
}

// reading is one line of the result.
type reading struct{ name, text string }

// readingLines lays readings out, one a line, each with its unit or the reason why
// there is no value.
func readingLines(r hw.Readings) []reading {
	var out []reading
	add := func(name, off, format string, args ...any) {
		if off == "" {
			off = fmt.Sprintf(format, args...)
		}
		out = append(out, reading{name, text.Clean(off)})
	}
	for _, t := range r.Temps {
		add(t.Name, t.Off, "%.1f °C", t.Value.Celsius())
	}
	for _, x := range r.Rails {
		add(x.Name, x.Off, "%.3f V, %.3f A, %.3f W", float64(x.Voltage)/1e9, float64(x.Current)/1e9, float64(x.Power)/1e9)
	}
	drive, turns := r.Fan.DriveOff, r.Fan.RPMOff
	if drive == "" {
		drive = fmt.Sprintf("%d %%", r.Fan.Drive)
	}
	if turns == "" {
		turns = fmt.Sprintf("%d rpm", r.Fan.RPM)
	}
	if drive == turns {
		add("fan", drive, "")
	} else {
		add("fan", "", "drive %s, speed %s", drive, turns)
	}
	for _, c := range r.Counters {
		add(c.Name, c.Off, "%d events since start", c.Count)
	}
	add("memory", r.Memory.Off, "%d MiB of %d MiB available", r.Memory.Available>>20, r.Memory.Total>>20)
	mode := r.Mode
	if r.ModeOff != "" {
		mode += ", " + r.ModeOff
	}
	add("mode", "", "%s", mode)
	if top, ok := r.Hottest(); ok {
		add("hottest", "", "%s, %.1f °C", top.Name, top.Value.Celsius())
	}
	return out
}

// pick writes the readings of some names, all when there are none; one name that
// is not known fails the call, since a part of an answer reads like all of it.
func pick(all []reading, names []string) (string, error) {
	var known, unknown, chosen []string
	for _, r := range all {
		known = append(known, r.name)
		if len(names) == 0 {
			chosen = append(chosen, r.name+": "+r.text)
		}
	}
	for _, n := range names {
		found := false
		for _, r := range all {
			if strings.EqualFold(n, r.name) || strings.EqualFold(n+"-thermal", r.name) {
				chosen, found = append(chosen, r.name+": "+r.text), true
			}
		}
		if !found {
			unknown = append(unknown, fmt.Sprintf("%q", text.Short(n)))
		}
	}
	if len(unknown) > 0 {
		return "", errors.New("no reading is named " + strings.Join(unknown, ", ") + "; take from " + strings.Join(known, ", ") + ", or leave names out for all")
	}
	return strings.Join(chosen, "\n"), nil
}
