package gateway

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"hardshell/runtime"
	"hardshell/runtime/event"
)

// calls are all that a client can ask.
var calls = map[string]func(context.Context, *Client) error{
	"turn": func(ctx context.Context, c *Client) error {
		end, err := runTurn(ctx, c, runtime.Ask{Text: "a"}, func(event.Event) {})
		return none(end.Status == "", err)
	},
	"watch": func(ctx context.Context, c *Client) error {
		return runWatch(ctx, c, "main", func() {}, func(event.Event) {})
	},
	"stop": func(ctx context.Context, c *Client) error {
		was, err := Stop.Ask(ctx, c, "main")
		return none(!was, err)
	},
	"reset":  func(ctx context.Context, c *Client) error { return second(Reset.Ask(ctx, c, "main")) },
	"adjust": func(ctx context.Context, c *Client) error { _, err := Adjust.Ask(ctx, c, runtime.Change{}); return err },
	"judge":  func(ctx context.Context, c *Client) error { _, err := Judge.Ask(ctx, c, JudgeQuery{}); return err },
	"view": func(ctx context.Context, c *Client) error {
		_, err := View.Ask(ctx, c, runtime.ViewQuery{})
		return err
	},
	"status": func(ctx context.Context, c *Client) error { _, err := Status.Ask(ctx, c, ""); return err },
	"answer": func(ctx context.Context, c *Client) error {
		return second(Answer.Ask(ctx, c, Word{"a1", "once", "terminal"}))
	},
	"grants": func(ctx context.Context, c *Client) error {
		gs, err := Grants.Ask(ctx, c, All{})
		return none(gs == nil, err)
	},
	"revoke": func(ctx context.Context, c *Client) error { _, err := Revoke.Ask(ctx, c, "d"); return err },
	"record": func(ctx context.Context, c *Client) error {
		_, err := Record.Ask(ctx, c, RecordQuery{"main", "last"})
		return err
	},
	"sessions": func(ctx context.Context, c *Client) error {
		list, err := Sessions.Ask(ctx, c, All{})
		return none(list == nil, err)
	},
	"tail":   func(ctx context.Context, c *Client) error { _, err := AuditTail.Ask(ctx, c, 3); return err },
	"show":   func(ctx context.Context, c *Client) error { _, err := AuditShow.Ask(ctx, c, 3); return err },
	"verify": func(ctx context.Context, c *Client) error { _, err := AuditVerify.Ask(ctx, c, All{}); return err },
	"seen": func(ctx context.Context, c *Client) error {
		n, err := MarkSeen.Ask(ctx, c, All{})
		return none(n == 0, err)
	},
	"export": func(ctx context.Context, c *Client) error { return AuditExport.Copy(ctx, c, io.Discard) },
}

// none is the error of a call that got nothing, and a fault when it got something.
func none(nothing bool, err error) error {
	if !nothing {
		return errors.Join(errors.New("it got something"), err)
	}
	return err
}

// TestClient_NoCallHidesThatTheAgentIsGone: each call fails as one that found nobody,
// with what to do, and never looks like an empty answer.
func TestClient_NoCallHidesThatTheAgentIsGone(t *testing.T) {
	answer := func(h http.HandlerFunc) *Client {
		l := NewLocal()
		s := &http.Server{Handler: h}
		go s.Serve(l) //nolint:errcheck // ends with Close
		c := NewClient(l.Dial)
		t.Cleanup(func() { c.Close(); s.Close() })
		return c
	}
	for what, c := range map[string]struct {
		client *Client
		want   string
	}{
		"nobody listens":  {NewClient(func(context.Context) (net.Conn, error) { return nil, errors.New("no such socket") }), "no such socket"},
		"no reason given": {answer(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "boom", http.StatusInternalServerError) }), "answered 500 Internal Server Error"},
		"an empty reason": {answer(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{}}`)
		}), "answered 400 Bad Request"},
		"cut off": {answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"kind":`)
		}), "unexpected EOF"},
	} {
		for name, call := range calls {
			var p *event.Problem
			if err := call(t.Context(), c.client); !errors.As(err, &p) || p.Code != "agent_gone" || !strings.Contains(p.Message, c.want) || p.Hint == "" {
				t.Errorf("%s, %s: %v", what, name, err)
			}
		}
	}
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	still := answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, call := range calls {
		if err := call(ctx, still); !errors.Is(err, stopped) {
			t.Errorf("left by the person, %s: %v", name, err)
		}
	}
}

// TestARequestIsTakenOrNot: a client knows whether an agent that went away had begun
// with its request. Only what was not begun, or changes nothing, may be asked again.
func TestARequestIsTakenOrNot(t *testing.T) {
	ends := func(first func(http.ResponseWriter)) *Client {
		l := NewLocal()
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			first(w)
			panic(http.ErrAbortHandler) // the connection ends
		})}
		go s.Serve(l) //nolint:errcheck // ends with Close
		c := NewClient(l.Dial)
		t.Cleanup(func() { c.Close(); s.Close() })
		return c
	}
	nobody := NewClient(func(context.Context) (net.Conn, error) { return nil, errors.New("no such socket") })
	type found struct{ Away, NotTaken, Look, Change bool }
	for name, c := range map[string]struct {
		client *Client
		want   found
	}{
		"nobody listens":    {nobody, found{true, true, true, true}},
		"it ends at once":   {ends(func(http.ResponseWriter) {}), found{true, true, true, true}},
		"it takes and dies": {ends(func(w http.ResponseWriter) { w.WriteHeader(taken) }), found{true, false, true, false}},
	} {
		_, looked := Status.Ask(t.Context(), c.client, "")
		_, changed := Revoke.Ask(t.Context(), c.client, "d")
		got := found{isAway(changed), NotTaken(changed), Status.MayRepeat(looked), Revoke.MayRepeat(changed)}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v (%v)", name, got, c.want, changed)
		}
	}
	refused := serve(t, &echo{})
	if err := second(Reset.Ask(t.Context(), refused, "locked")); NotTaken(err) || Reset.MayRepeat(err) {
		t.Errorf("an answer of the agent is no reason to ask again: %v", err)
	}
}

// TestNothingIsDoneBeforeItIsTaken: the agent's own code runs when the client could
// learn of it already.
func TestNothingIsDoneBeforeItIsTaken(t *testing.T) {
	began, over := make(chan struct{}), make(chan struct{})
	a := &echo{turn: func(ctx context.Context, _ runtime.Ask, _ func(event.Event)) event.End {
		close(began)
		<-over
		return event.End{}
	}}
	c := serve(t, a)
	ready := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- Turn.Follow(t.Context(), c, runtime.Ask{Text: "a"}, func() { close(ready) }, func(event.Event) bool { return false })
	}()
	<-began
	<-ready // although nothing was told yet
	close(over)
	if err := <-done; !isAway(err) || NotTaken(err) {
		t.Error(err)
	}
}
