package runtime

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// plainLab is a lab whose model takes no tool array, driven by the real client.
func plainLab(t *testing.T, rs ...modeltest.Reply) (*lab, *modeltest.Server) {
	t.Helper()
	srv := modeltest.Fake(t)
	srv.SetModels(modeltest.Model{Name: "qwen3:4b", Capabilities: []string{"completion"}, Template: "{{ .System }}{{ range .Messages }}[{{ .Role }}]{{ .Content }}{{ end }}"})
	srv.Script(rs...)
	c, err := model.New(model.Config{HTTP: srv.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	return newLab(t, func(cfg *Config) { cfg.Model, cfg.Catalog = c, c }), srv
}

// sentTo reads the chat requests that a server got, messages as JSON.
func sentTo(t *testing.T, srv *modeltest.Server) (messages [][]json.RawMessage, systems []string) {
	t.Helper()
	for _, b := range srv.Bodies("/api/chat") {
		var q struct {
			Messages []json.RawMessage `json:"messages"`
			Tools    json.RawMessage   `json:"tools"`
			Format   json.RawMessage   `json:"format"`
		}
		var first struct{ Content string }
		if err := json.Unmarshal(b, &q); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(q.Messages[0], &first); err != nil {
			t.Fatal(err)
		}
		if q.Tools != nil || q.Format == nil {
			t.Errorf("the request has tools %s and format %s", q.Tools, q.Format)
		}
		messages, systems = append(messages, q.Messages), append(systems, first.Content)
	}
	return messages, systems
}

// sizeOf is what the messages of a request say, in bytes.
func sizeOf(t *testing.T, messages []json.RawMessage) int {
	t.Helper()
	n := 0
	for _, m := range messages {
		var said struct{ Content string }
		if err := json.Unmarshal(m, &said); err != nil {
			t.Fatal(err)
		}
		n += len(said.Content)
	}
	return n
}

// A model without tools acts all the same: its call passes the door, the result goes
// back, its words are streamed, and each request begins with the one before.
func TestEnvelopedTurn(t *testing.T) {
	l, srv := plainLab(t,
		modeltest.Text(`{"tool":"exec",`, `"args":{"argv":["uname"]}}`), modeltest.Text(`{"say":"It `, `says hi."}`),
		modeltest.Text(`{"tool":"reboot","args":{}}`), modeltest.Text(`{"say":"There is no such tool."}`),
	)
	first := l.ask("which kernel?")
	shown := l.shown()
	second := l.ask("reboot it")
	if d := cmp.Diff([]string{`exec {"argv":["uname"]}`}, l.bench.ran); d != "" {
		t.Errorf("what ran: %s", d)
	}
	if d := cmp.Diff([]string{Done, "It says hi.", "It says hi.", Done, "There is no such tool."},
		[]string{first.Status, first.Answer, shown, second.Status, second.Answer}); d != "" {
		t.Error(d)
	}
	messages, systems := sentTo(t, srv)
	if len(messages) != 4 {
		t.Fatalf("%d requests, want 4", len(messages))
	}
	for i := 1; i < len(messages); i++ {
		if d := cmp.Diff(messages[i-1], messages[i][:len(messages[i-1])]); d != "" {
			t.Errorf("request %d does not begin with the one before: %s", i+1, d)
		}
	}
	s, err := l.agent.sessions.get(session.Main)
	if err != nil {
		t.Fatal(err)
	}
	c, has := prompt.Chosen{Choice: model.Choice{Info: model.Info{Capabilities: []string{"completion"}}}}, s.Messages()
	frozen, _ := s.Frozen()
	if got, want := fixedSize(c, frozen)+bytesOf(c, has[:len(has)-1]), sizeOf(t, messages[3]); got != want {
		t.Errorf("the window is filled by %d bytes, %d were sent", got, want)
	}
	v, err := l.agent.View(context.Background(), ViewQuery{Session: session.Main, Rendered: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(systems[0], v.System); d != "" || string(v.Tools) != "[]" || !strings.Contains(string(v.Format), `{"const":"exec"}`) {
		t.Errorf("the prompt that is shown is not the one that was sent: tools %s, format %s\n%s", v.Tools, v.Format, d)
	}
	if v.Rendered.Problem != nil || !strings.HasPrefix(v.Rendered.Text, v.System) {
		t.Errorf("rendered: %+v", v.Rendered)
	}
	rec, err := l.agent.Record(session.Main, "t1")
	if err != nil {
		t.Fatal(err)
	}
	var rep Remarks
	if err := json.Unmarshal(rec.Report, &rep); err != nil {
		t.Fatal(err)
	}
	if size := sizeOf(t, messages[0]); rep.Requests[0].Bytes != size || rep.Requests[1].Break != -1 {
		t.Errorf("the record has %+v; %d bytes were sent", rep.Requests, size)
	}
}

// A call that the limit cut ends the turn at that limit: nothing ran, nothing of it is
// kept, and the person reads which limit. One that is whole runs, whatever blanks
// were cut behind it.
func TestEnvelopedTurn_Limit(t *testing.T) {
	limit := func(text string) modeltest.Reply { r := modeltest.Text(text); r.DoneReason = "length"; return r }
	l, _ := plainLab(t, limit(`{"tool":"exec","args":{"argv":["uname"`),
		limit("{\"tool\":\"exec\",\"args\":{}}\n\n\n"), modeltest.Text(`{"say":"done"}`),
		modeltest.Text(`{"tool":"exec","args":{}} and more`), modeltest.Text(`no form`), modeltest.Text(`{"tool":"exec","args":`))
	end := l.ask("which kernel?")
	if end.Status != LimitTurn || end.Error == nil || !strings.Contains(end.Error.Message, "model.num_predict = ") || !strings.Contains(end.Error.Message, "nothing of it was run") {
		t.Errorf("%s, %+v", end.Status, end.Error)
	}
	if len(l.bench.ran) != 0 {
		t.Errorf("ran %q", l.bench.ran)
	}
	if end = l.ask("go on"); end.Answer != "done" || len(l.bench.ran) != 1 || len(l.warnings()) != 0 {
		t.Errorf("%+v, ran %q, warned of %q", end, l.bench.ran, l.warnings())
	}
	end = l.ask("again")
	if end.Status != FailedTurn || end.Error == nil || end.Error.Code != model.Unreadable || len(l.bench.ran) != 1 {
		t.Errorf("%s, %+v, ran %q", end.Status, end.Error, l.bench.ran)
	}
}
