package recipes

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools"
	"hardshell/tools/args"
)

// metronome is a tool without an action kind of its own: it only tells something.
type metronome struct{}

var _ tools.Tool = metronome{}

type metronomeArgs struct {
	BPM int `json:"bpm"`
}

var metronomeSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name: "metronome", Description: "Tell how long a beat lasts", Guide: "beats per minute to milliseconds",
		Schema: args.SchemaOf[metronomeArgs](),
	}
})

// Spec is how metronome is offered.
func (metronome) Spec() tools.Spec { return metronomeSpec() }

// Prepare asks for nothing that could do harm.
func (metronome) Prepare(_ context.Context, _ tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a metronomeArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	return tools.Prepared{
		Action: policy.Action{Tool: metronomeSpec().Name, Kind: policy.Look{}},
		Do: func(context.Context, tools.Judged, func(string)) (tools.Output, error) {
			if a.BPM <= 0 {
				return tools.Output{}, fmt.Errorf("%d beats a minute are none: give a number above 0", a.BPM)
			}
			return tools.Output{Text: fmt.Sprintf("%d ms", 60_000/a.BPM)}, nil
		},
	}, nil
}

// records keeps what the door wrote down.
type records []audit.Line

func (r *records) Record(_ context.Context, rec audit.Line) error {
	*r = append(*r, rec)
	return nil
}

// TestToolRecipe puts the tool into the door with one line and calls it as a model does.
func TestToolRecipe(t *testing.T) {
	lab, err := policy.Parse("policy.toml", []byte("version = 1\n[tools]\nallow = [\"*\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var kept records
	door := tools.NewRegistry(tools.Config{
		Policy: func() tools.Policy { return lab }, Auditor: &kept, Dir: t.TempDir(),
		Tools: []tools.Tool{metronome{}}, // the one line of cmd/agent/app/instance.go
	})
	from := tools.Origin{Agent: "main", Session: "main", Run: "chat"}
	for text, want := range map[string]struct {
		outcome tools.Outcome
		text    string
	}{
		`{"bpm":120}`:    {tools.OK, "500 ms"},
		`{"bpm":"120"}`:  {tools.OK, "500 ms\n[arguments: \"bpm\" came as text and was read as a whole number]"},
		`{"bpm":0}`:      {tools.Failed, "failed: 0 beats a minute are none: give a number above 0"},
		`{"tempo":"10"}`: {tools.Invalid, ""},
	} {
		r, err := door.Call(t.Context(), from, tools.Call{ID: "c1", Name: "metronome", Args: json.RawMessage(text)}, nil)
		if err != nil || r.Outcome != want.outcome || want.text != "" && r.Text != want.text {
			t.Errorf("%s: %s %q, %v; want %s %q", text, r.Outcome, r.Text, err, want.outcome, want.text)
		}
	}
	if len(kept) == 0 || kept[0].Rule != "builtin.status" {
		t.Errorf("the door kept %+v", kept)
	}
}
