package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// shower is a scripted model whose server shows its rendering: the prompt between
// two marks.
type shower struct {
	*script
	asked []model.Request
	err   error
}

func (s *shower) Render(_ context.Context, q model.Request) (string, error) {
	s.asked = append(s.asked, q)
	text := "<<"
	for _, m := range q.Messages {
		text += m.Text
	}
	return text + ">>", s.err
}

// TestViewShowsTheServersRendering holds that a rendering is of just what a turn
// would send, with the history of a session that has one, and that a server that
// can't show it costs the rendering and nothing else.
func TestViewShowsTheServersRendering(t *testing.T) {
	l := newLab(t, nil, say("the answer"))
	show := &shower{script: l.model}
	l.agent.cfg.Model = show
	v, err := l.agent.View(t.Context(), ViewQuery{Rendered: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &Rendered{Text: "<<" + v.System + placeholder + ">>"}
	want.Bytes, want.Payload = len(want.Text), len(v.System)+len(placeholder)+len(v.Tools)
	want.Template = want.Bytes - want.Payload
	if d := cmp.Diff(want, v.Rendered); d != "" {
		t.Error(d)
	}
	l.ask("the question")
	if v, err = l.agent.View(t.Context(), ViewQuery{Rendered: true, Session: session.Main}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(v.Rendered.Text, "<<"+v.System+"the question") || !strings.HasSuffix(v.Rendered.Text, "the answer>>") {
		t.Errorf("with history: %q", v.Rendered.Text)
	}
	sent, shown := l.model.requests[0], show.asked[1]
	if d := cmp.Diff(sent, model.Request{
		Model: shown.Model, Messages: shown.Messages[:2], Tools: shown.Tools, NumCtx: shown.NumCtx, NumPredict: sent.NumPredict, Temperature: shown.Temperature, Think: sent.Think,
	}); d != "" {
		t.Errorf("not what was sent: %s", d)
	}
	if v, err = l.agent.View(t.Context(), ViewQuery{}); err != nil || v.Rendered != nil || len(show.asked) != 2 {
		t.Errorf("rendered unasked: %+v, %v", v.Rendered, err)
	}
	show.err = errors.New("no such thing")
	v, err = l.agent.View(t.Context(), ViewQuery{Rendered: true})
	if d := cmp.Diff(&Rendered{Problem: &event.Problem{Code: "failed", Message: "no such thing"}}, v.Rendered); d != "" || err != nil || v.System == "" {
		t.Error(d, err)
	}
	l.agent.cfg.Model = l.model
	if v, err = l.agent.View(t.Context(), ViewQuery{Rendered: true}); err != nil || v.Rendered.Problem == nil || v.Rendered.Problem.Code != "not_rendered" {
		t.Errorf("%+v, %v", v.Rendered, err)
	}
}
