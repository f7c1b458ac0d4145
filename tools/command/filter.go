package command

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/text"
)

// Filter is a program of the operator that the runtime itself asks: it reads one
// text and writes one. It runs as commands do and counts as a call of exec, but no
// model is offered it or can name it: only Registry.Run takes it.
type Filter struct {
	Exec  *ExecTool
	Argv  []string
	Stdin string
	// Timeout is the time that it may take, Most what it may write, in bytes, both
	// streams together. Whoever exceeds one is ended.
	Timeout time.Duration
	Most    int
}

var _ tools.Tool = (*Filter)(nil)

// Spec says what it counts as.
func (*Filter) Spec() tools.Spec {
	return tools.Spec{Name: "exec", Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}
}

// Prepare is the program in the workspace. Whether it may run is policy's word.
func (f *Filter) Prepare(context.Context, tools.Origin, json.RawMessage) (tools.Prepared, error) {
	seconds := int((f.Timeout + time.Second - 1) / time.Second)
	x := &policy.Exec{Argv: f.Argv, Stdin: f.Stdin, TimeoutS: seconds}
	p := tools.Prepared{Action: policy.Action{Tool: "exec", Kind: x}}
	dir, err := f.Exec.cfg.Roots.WorkingFolder("")
	if err != nil {
		return p, err
	}
	x.Cwd = dir
	p.Do = func(ctx context.Context, judged tools.Judged, _ func(string)) (tools.Output, error) {
		return f.run(ctx, x, judged)
	}
	return p, nil
}

// run gives what the program wrote, byte for byte, or how it failed and the first
// of what it wrote.
func (f *Filter) run(ctx context.Context, x *policy.Exec, judged tools.Judged) (tools.Output, error) {
	c, err := f.Exec.program(x, judged)
	if err != nil {
		return tools.Output{}, err
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	got := &spout{most: f.Most, full: stop}
	c.Timeout, c.Output = f.Timeout, got.write
	exit, err := f.Exec.cfg.Launcher.Run(within, c.Command)
	if err != nil && ctx.Err() == nil {
		return tools.Output{}, notStarted(c, err)
	}
	wrote, over := got.end()
	out := tools.Output{Text: wrote, Layers: exit.Layers, Starts: exit.AllStarts()}
	switch {
	case ctx.Err() != nil:
		return tools.Output{}, context.Cause(ctx)
	case over || exit.Flooded:
		out.Text = fmt.Sprintf("it wrote more than %d bytes and was ended", f.Most)
	case exit.TimedOut:
		out.Text = fmt.Sprintf("it took longer than %s and was ended", text.Span(f.Timeout))
	case exit.Signal != "":
		out.Text = "ended by " + exit.Signal
	case exit.Code != 0:
		out.Text = fmt.Sprintf("exit %d", exit.Code)
	default:
		return out, nil
	}
	out.Failed = true
	if said := text.Excerpt(f.redacted(wrote, over), maxSaid); said != "" {
		out.Text += "; it wrote: " + said
	}
	return out, nil
}

// redacted is what a program wrote without secrets, before it is cut further. Where the
// end of it is missing, what may be the beginning of a secret is left out.
func (f *Filter) redacted(wrote string, over bool) string {
	m := f.Exec.cfg.Redactor.Stream()
	wrote = m.Write(wrote)
	if !over {
		wrote += m.End()
	}
	return wrote
}

// maxSaid is how much is told of what a program that failed wrote, in characters.
const maxSaid = 300

// spout keeps output up to a limit and calls full once when there is more.
type spout struct {
	most int
	full func()

	mu   sync.Mutex
	kept []byte
	over bool
}

func (s *spout) write(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := s.most - len(s.kept)
	if s.kept = append(s.kept, p[:min(room, len(p))]...); len(p) > room && !s.over {
		s.over = true
		s.full()
	}
}

// end gives what was kept, and whether there was more.
func (s *spout) end() (text string, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.kept), s.over
}
