package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/text"
)

// ProcessTool minds the commands that run in the background.
type ProcessTool struct {
	keeper *Processes
	limits text.Limits
}

// NewProcessTool makes the process tool.
func NewProcessTool(keeper *Processes) *ProcessTool {
	return &ProcessTool{keeper: keeper, limits: keeper.cfg.Limits.OrDefault()}
}

var _ tools.Tool = (*ProcessTool)(nil)

type processArgs struct {
	Action string `json:"action" enum:"list,poll,log,write,keys,kill,remove"`
	ID     string `json:"id,omitempty"`
	Text   string `json:"text,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	WaitMS int    `json:"wait_ms,omitempty"`
}

var processSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "process",
		Description: "Mind background commands",
		Guide:       "what exec left in the background, by id: poll for new output (wait_ms), log by lines, write text or keys such as ctrl-c, kill, remove",
		Schema:      args.SchemaOf[processArgs](),
	}
})

// Spec is how process is offered.
func (*ProcessTool) Spec() tools.Spec { return processSpec() }

// Prepare finds the command. Text for it is judged as if the command had been started
// with that text as its stdin.
func (t *ProcessTool) Prepare(_ context.Context, from tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a processArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	ask := &policy.Process{Op: a.Action, ID: a.ID}
	act := policy.Action{Tool: processSpec().Name, Kind: ask}
	if err := a.check(); err != nil {
		return tools.Prepared{}, err
	}
	if a.Action == "list" {
		return tools.Prepared{Action: act, Do: func(context.Context, tools.Judged, func(string)) (tools.Output, error) { return t.list(from), nil }}, nil
	}
	proc, err := t.keeper.find(from, a.ID)
	if err != nil {
		return tools.Prepared{}, err
	}
	p := processCall{t, proc, a, nil}
	switch a.Action {
	case "write":
		p.press = []key{{text: a.Text, does: fmt.Sprintf("%d bytes to its stdin", len(a.Text))}}
	case "keys":
		if p.press, err = press(a.Text); err != nil {
			return tools.Prepared{}, err
		}
	}
	if text := typed(p.press); text != "" {
		x := proc.exec
		x.Stdin = text
		ask.Input, ask.Exec = true, &x
	}
	return tools.Prepared{Action: act, Do: func(ctx context.Context, _ tools.Judged, _ func(string)) (tools.Output, error) { return p.do(ctx) }}, nil
}

// typed is what keys and text give to the stdin of a command.
func typed(ks []key) string {
	var b strings.Builder
	for _, k := range ks {
		b.WriteString(k.text)
	}
	return b.String()
}

// maxTyped is the most text of one write, in bytes: what a pipe holds.
const maxTyped = 64 << 10

func (a processArgs) check() error {
	most := int(maxForeground / time.Millisecond)
	switch {
	case a.Action != "list" && a.ID == "":
		return &args.Error{Field: "id", Message: fmt.Sprintf(`"id" is missing; %s needs one, and action list gives them`, a.Action)}
	case a.Action == "write" && a.Text == "":
		return &args.Error{Field: "text", Message: `"text" is missing; write needs what to write, with the newline that a program waits for`}
	case len(a.Text) > maxTyped:
		return &args.Error{Field: "text", Message: fmt.Sprintf(`"text" has %d bytes and the most is %d; write it in parts`, len(a.Text), maxTyped)}
	case !utf8.ValidString(a.Text):
		return &args.Error{Field: "text", Message: `"text" is no UTF-8; write text`}
	case a.WaitMS < 0 || a.WaitMS > most:
		return &args.Error{Field: "wait_ms", Message: fmt.Sprintf(`"wait_ms" must be between 0 and %d, not %d`, most, a.WaitMS)}
	case a.Offset < 0:
		return &args.Error{Field: "offset", Message: fmt.Sprintf(`"offset" must be 1 or more, a line, not %d`, a.Offset)}
	case a.Limit < 0:
		return &args.Error{Field: "limit", Message: fmt.Sprintf(`"limit" must be 1 or more, a number of lines, not %d`, a.Limit)}
	}
	return nil
}

// list tells of every command of the session. Whoever reads it knows of the ends in
// it.
func (t *ProcessTool) list(from tools.Origin) tools.Output {
	rs := t.keeper.list(func(r ProcessRecord) bool { return r.Session == from.Session && r.Agent == from.Agent })
	if len(rs) == 0 {
		return tools.Output{Text: "no command runs in the background, and none is known to have run"}
	}
	var b strings.Builder
	var over []string
	for _, r := range rs {
		fmt.Fprintln(&b, r.Line())
		if !r.Runs() {
			over = append(over, r.ID)
		}
	}
	out := tools.Output{Text: strings.TrimSuffix(b.String(), "\n")}
	if err := t.keeper.Delivered(over...); err != nil {
		out.Text += "\n[" + err.Error() + "]"
	}
	return out
}

// Line says in one line what a command is and how it stands.
func (r ProcessRecord) Line() string {
	if r.Runs() {
		return fmt.Sprintf("%s runs since %s: %s", r.ID, r.Began.Format(time.TimeOnly), r.Subject)
	}
	return fmt.Sprintf("%s %s: %s", r.ID, r.How, r.Subject)
}
