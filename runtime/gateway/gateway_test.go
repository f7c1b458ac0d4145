package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
	"hardshell/tools/command"
)

// echo is an agent whose answers show what reached it.
type echo struct {
	turn  func(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End
	heard []string
	// export is what an export ends with.
	export error
}

func (a *echo) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End {
	if a.turn != nil {
		return a.turn(ctx, ask, sink)
	}
	end := event.End{Status: "done", Answer: fmt.Sprintf("%+v", ask), Calls: []event.Tool{}}
	sink(event.Event{Kind: event.TurnStart, Start: &event.Start{Text: ask.Text}})
	sink(event.Event{Kind: event.TurnEnd, End: &end})
	return end
}

func (a *echo) Watch(ctx context.Context, session string, see func(event.Event)) {
	see(event.Event{Kind: event.TurnStart, Session: session})
	if session != "over" {
		<-ctx.Done()
	}
}

func (a *echo) Stop(_ context.Context, s string) (bool, error) {
	a.heard = append(a.heard, "stop "+s)
	return true, nil
}

func (a *echo) Adjust(_ context.Context, ch runtime.Change) (runtime.SessionSettings, error) {
	return runtime.SessionSettings{Session: ch.Session, Model: ch.Model, Think: ch.Think, Reasoning: ch.Reasoning, Notes: []string{"noted"}}, nil
}

func (a *echo) Reset(_ context.Context, s string) error {
	a.heard = append(a.heard, "reset "+s)
	if s == "locked" {
		return &event.Problem{Code: "locked", Message: "it is locked", Hint: "unlock it"}
	}
	return nil
}

func (a *echo) Status(_ context.Context, agent string) (runtime.AgentStatus, error) {
	if agent != "" {
		return runtime.AgentStatus{}, &event.Problem{Code: "no_agent", Message: "there is no agent " + agent}
	}
	return runtime.AgentStatus{Agent: "main", Window: 8192}, nil
}

func (a *echo) View(_ context.Context, q runtime.ViewQuery) (runtime.View, error) {
	return runtime.View{System: "you are", Model: q.Mode, Tools: json.RawMessage(`[]`)}, nil
}

func (a *echo) Judge(_ context.Context, q JudgeQuery) (policy.Explanation, error) {
	x := policy.Explanation{Decision: policy.Decision{Verdict: policy.Ask, Rule: q.Tool, Reason: string(q.Args)}}
	if q.Explain {
		x.Change = []string{"a person says yes"}
	}
	return x, nil
}

func (a *echo) Record(_ context.Context, q RecordQuery) (session.TurnRecord, error) {
	return session.TurnRecord{ID: q.Session + "/" + q.Turn}, nil
}

func (a *echo) Answer(_ context.Context, w Word) error {
	a.heard = append(a.heard, "answer "+w.ID+" "+w.Answer+" "+w.By)
	return nil
}

func (a *echo) Grants(context.Context, All) ([]approval.Grant, error) {
	return []approval.Grant{{Digest: "d", Tool: "exec"}}, nil
}

func (a *echo) Revoke(_ context.Context, digest string) (approval.Grant, error) {
	return approval.Grant{Digest: digest}, nil
}

func (a *echo) Processes(_ context.Context, agent string) ([]command.ProcessRecord, error) {
	return []command.ProcessRecord{{ID: "p1", Agent: agent}}, nil
}

func (a *echo) ProcessLog(_ context.Context, q ProcessQuery) (command.Log, error) {
	return command.Log{Process: command.ProcessRecord{ID: q.ID, Agent: q.Agent}, Says: fmt.Sprint(q.From, q.Lines)}, nil
}

func (a *echo) EndProcess(_ context.Context, q ProcessQuery) (command.ProcessRecord, error) {
	if q.ID == "p9" {
		return command.ProcessRecord{}, errors.New("p9 is over already")
	}
	return command.ProcessRecord{ID: q.ID, Agent: q.Agent, How: q.By}, nil
}

func (a *echo) Sessions(context.Context, All) ([]store.SessionInfo, error) {
	return []store.SessionInfo{{ID: "main", Last: 7}}, nil
}

func (a *echo) AuditShow(_ context.Context, seq Number) (audit.Line, error) {
	return audit.Line{Seq: uint64(seq)}, nil
}

// lines is what an export gives before it breaks off.
const lines = "{\"seq\":1}\n{\"seq\":2}\n"

func (a *echo) AuditExport(w io.Writer) error {
	if _, err := io.WriteString(w, lines); err != nil {
		return err
	}
	return a.export
}

func (a *echo) AuditTail(_ context.Context, n Number) ([]audit.Line, error) {
	return make([]audit.Line, n), nil
}

func (a *echo) AuditVerify(context.Context, All) (store.AuditReport, error) {
	return store.AuditReport{}, errors.New("the segment is gone: restore it from a backup")
}

// second is the error of a verb that has nothing else to tell.
func second(_ struct{}, err error) error { return err }

// runTurn follows a turn to its end.
func runTurn(ctx context.Context, c *Client, ask runtime.Ask, sink func(event.Event)) (end event.End, err error) {
	err = Turn.Follow(ctx, c, ask, func() {}, func(e event.Event) bool {
		sink(e)
		if e.End != nil {
			end = *e.End
		}
		return e.End != nil
	})
	return end, err
}

// runWatch follows what wakes a session until the agent ends.
func runWatch(ctx context.Context, c *Client, session string, ready func(), sink func(event.Event)) error {
	return Watch.Follow(ctx, c, session, ready, func(e event.Event) bool {
		sink(e)
		return false
	})
}

// serve gives a client of a served agent, in memory.
func serve(t *testing.T, a Agents) *Client {
	t.Helper()
	l := NewLocal()
	s := NewServer(a)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	c := NewClient(l.Dial)
	t.Cleanup(func() {
		c.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestEveryCallCrossesTheWire(t *testing.T) {
	a := &echo{}
	c := serve(t, a)
	ctx := t.Context()
	ask := runtime.Ask{Session: "s", Text: "grüße \x1b[2J", Run: "chat", New: true, Attended: true}
	var seen []event.Kind
	end, err := runTurn(ctx, c, ask, func(e event.Event) { seen = append(seen, e.Kind) })
	if err != nil || end.Answer != fmt.Sprintf("%+v", ask) {
		t.Errorf("Turn = %+v, %v", end, err)
	}
	if d := cmp.Diff([]event.Kind{event.TurnStart, event.TurnEnd}, seen); d != "" {
		t.Error(d)
	}
	if ok, err := Stop.Ask(ctx, c, "s"); !ok || err != nil {
		t.Error(ok, err)
	}
	now, err := Adjust.Ask(ctx, c, runtime.Change{Session: "s", Model: "fast", Think: "low", Reasoning: "on"})
	if d := cmp.Diff(runtime.SessionSettings{Session: "s", Model: "fast", Think: "low", Reasoning: "on", Notes: []string{"noted"}}, now); d != "" || err != nil {
		t.Error(d, err)
	}
	if err := second(Reset.Ask(ctx, c, "s")); err != nil {
		t.Error(err)
	}
	if err := second(Answer.Ask(ctx, c, Word{"a1", "once", "terminal"})); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"stop s", "reset s", "answer a1 once terminal"}, a.heard); d != "" {
		t.Error(d)
	}
	if s, err := Status.Ask(ctx, c, ""); err != nil || s.Window != 8192 {
		t.Error(s, err)
	}
	if v, err := View.Ask(ctx, c, runtime.ViewQuery{Mode: "full"}); err != nil || v.System != "you are" || v.Model != "full" {
		t.Error(v, err)
	}
	d, err := Judge.Ask(ctx, c, JudgeQuery{Tool: "exec", Args: json.RawMessage(`{"argv":["ls"]}`), Explain: true})
	want := policy.Explanation{Decision: policy.Decision{Verdict: policy.Ask, Rule: "exec", Reason: `{"argv":["ls"]}`}, Change: []string{"a person says yes"}}
	if diff := cmp.Diff(want, d); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if rec, err := Record.Ask(ctx, c, RecordQuery{"cron:a&b", "t3"}); err != nil || rec.ID != "cron:a&b/t3" {
		t.Error(rec, err)
	}
	if recs, err := AuditTail.Ask(ctx, c, 3); err != nil || len(recs) != 3 {
		t.Error(recs, err)
	}
	if rec, err := AuditShow.Ask(ctx, c, 1<<60); err != nil || rec.Seq != 1<<60 {
		t.Error(rec, err)
	}
	grants, err := Grants.Ask(ctx, c, All{})
	if diff := cmp.Diff([]approval.Grant{{Digest: "d", Tool: "exec"}}, grants); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if g, err := Revoke.Ask(ctx, c, "d&e"); err != nil || g.Digest != "d&e" {
		t.Error(g, err)
	}
	list, err := Sessions.Ask(ctx, c, All{})
	if diff := cmp.Diff([]store.SessionInfo{{ID: "main", Last: 7}}, list); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestCommandsCrossTheWire(t *testing.T) {
	c := serve(t, &echo{})
	list, err := Processes.Ask(t.Context(), c, "a&b")
	if d := cmp.Diff([]command.ProcessRecord{{ID: "p1", Agent: "a&b"}}, list); d != "" || err != nil {
		t.Error(d, err)
	}
	text, err := ProcessLog.Ask(t.Context(), c, ProcessQuery{Agent: "night", ID: "p2", From: 3, Lines: 4})
	if d := cmp.Diff(command.Log{Process: command.ProcessRecord{ID: "p2", Agent: "night"}, Says: "3 4"}, text); d != "" || err != nil {
		t.Error(d, err)
	}
	rec, err := EndProcess.Ask(t.Context(), c, ProcessQuery{Agent: "night", ID: "p2", By: "me"})
	if d := cmp.Diff(command.ProcessRecord{ID: "p2", Agent: "night", How: "me"}, rec); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err := EndProcess.Ask(t.Context(), c, ProcessQuery{ID: "p9"}); err == nil || err.Error() != "p9 is over already" {
		t.Error(err)
	}
}

func TestErrorsKeepCodeAndHint(t *testing.T) {
	c := serve(t, &echo{})
	err := second(Reset.Ask(t.Context(), c, "locked"))
	var p *event.Problem
	if !errors.As(err, &p) {
		t.Fatal(err)
	}
	if d := cmp.Diff(&event.Problem{Code: "locked", Message: "it is locked", Hint: "unlock it"}, p); d != "" {
		t.Error(d)
	}
	if _, err := AuditVerify.Ask(t.Context(), c, All{}); err == nil || err.Error() != "the segment is gone: restore it from a backup" {
		t.Error(err)
	}
	if _, err := AuditTail.Ask(t.Context(), c, 0); err == nil || !strings.Contains(err.Error(), "no number of records") {
		t.Error(err)
	}
	if _, err := AuditShow.Ask(t.Context(), c, 0); err == nil || !strings.Contains(err.Error(), "number of a record") {
		t.Error(err)
	}
}

func TestBadRequests(t *testing.T) {
	l := NewLocal()
	s := NewServer(&echo{})
	go s.Serve(l) //nolint:errcheck // ends with Close
	defer s.Close()
	h := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }}}
	for body, want := range map[string]int{
		`{"text":"x","nonsense":1}`: http.StatusBadRequest,
		`{"text":"x"}{"text":"y"}`:  http.StatusBadRequest,
		``:                          http.StatusBadRequest,
		`[`:                         http.StatusBadRequest,
		`{"text":"` + strings.Repeat("x", maxBody) + `"}`: http.StatusBadRequest,
		`{"text":"x"}`: http.StatusOK,
	} {
		resp, err := h.Post("http://agent/v1/turn", "application/json", strings.NewReader(body))
		if err != nil {
			t.Errorf("%.30s: %v", body, err)
			continue
		}
		if resp.StatusCode != want {
			t.Errorf("%.30s: %s", body, resp.Status)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
	}
}

func TestAClientThatGoesEndsItsTurn(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	c := serve(t, &echo{turn: func(ctx context.Context, _ runtime.Ask, sink func(event.Event)) event.End {
		sink(event.Event{Kind: event.TurnStart, Start: &event.Start{}})
		close(began)
		<-ctx.Done()
		close(ended)
		end := event.End{Status: "interrupted"}
		sink(event.Event{Kind: event.TurnEnd, End: &end})
		return end
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := runTurn(ctx, c, runtime.Ask{Text: "x"}, func(event.Event) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Turn = %v", err)
	}
	<-ended
}

func TestAnAgentThatGoesAwayIsNamed(t *testing.T) {
	l := NewLocal()
	l.Close()
	c := NewClient(l.Dial)
	_, err := Status.Ask(t.Context(), c, "")
	var p *event.Problem
	if !errors.As(err, &p) || p.Code != "agent_gone" || p.Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestSlowViewer: a client that does not read never holds up the turn; it misses
// output, never a verdict, and is told.
func TestSlowViewer(t *testing.T) {
	q := newQueue()
	end := event.End{Status: "done"}
	for i := range maxQueued + 50 {
		q.put(event.Event{Kind: event.ModelChunk, Chunk: &event.Chunk{Text: fmt.Sprint(i)}})
	}
	q.put(event.Event{Kind: event.ToolEnd, Tool: &event.Tool{ID: "t1.1"}})
	q.put(event.Event{Kind: event.TurnEnd, End: &end})
	q.end()
	var kinds []event.Kind
	var notice string
	for e, more := q.take(); more; e, more = q.take() {
		if e.Kind != event.ModelChunk {
			kinds = append(kinds, e.Kind)
		}
		if e.Notice != nil {
			notice = e.Notice.Message
		}
	}
	if d := cmp.Diff([]event.Kind{event.ToolEnd, event.Warning, event.TurnEnd}, kinds); d != "" {
		t.Error(d)
	}
	if !strings.HasPrefix(notice, "50 pieces") {
		t.Error(notice)
	}
}

// A watcher sees what wakes its session until it leaves, or the agent does.
func TestWatchStreamsUntilTheWatcherLeaves(t *testing.T) {
	c := serve(t, &echo{})
	ctx, cancel := context.WithCancel(t.Context())
	ready, seen := make(chan struct{}), make(chan event.Event, 1)
	over := make(chan error, 1)
	go func() {
		over <- runWatch(ctx, c, "bench", func() { close(ready) }, func(e event.Event) { seen <- e })
	}()
	<-ready
	if e := <-seen; e.Kind != event.TurnStart || e.Session != "bench" {
		t.Errorf("saw %+v", e)
	}
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("the watcher left: %v", err)
	}
	if err := runWatch(t.Context(), c, "over", func() {}, func(event.Event) {}); event.ProblemOf(err).Code != "agent_gone" {
		t.Errorf("the agent left: %v", err)
	}
}
