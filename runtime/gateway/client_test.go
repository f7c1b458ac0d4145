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
		end, err := c.Turn(ctx, runtime.Ask{Text: "a"}, func(event.Event) {})
		return none(end.Status == "", err)
	},
	"watch": func(ctx context.Context, c *Client) error {
		return c.Watch(ctx, "main", func() {}, func(event.Event) {})
	},
	"stop": func(ctx context.Context, c *Client) error {
		was, err := c.Stop(ctx, "main")
		return none(!was, err)
	},
	"reset":  func(ctx context.Context, c *Client) error { return c.Reset(ctx, "main") },
	"adjust": func(ctx context.Context, c *Client) error { _, err := c.Adjust(ctx, runtime.Change{}); return err },
	"judge":  func(ctx context.Context, c *Client) error { _, err := c.Judge(ctx, JudgeQuery{}); return err },
	"view":   func(ctx context.Context, c *Client) error { _, err := c.View(ctx, runtime.ViewQuery{}); return err },
	"status": func(ctx context.Context, c *Client) error { _, err := c.Status(ctx, ""); return err },
	"answer": func(ctx context.Context, c *Client) error { return c.Answer(ctx, "a1", "once", "terminal") },
	"grants": func(ctx context.Context, c *Client) error {
		gs, err := c.Grants(ctx)
		return none(gs == nil, err)
	},
	"revoke": func(ctx context.Context, c *Client) error { _, err := c.Revoke(ctx, "d"); return err },
	"record": func(ctx context.Context, c *Client) error { _, err := c.Record(ctx, "main", "last"); return err },
	"sessions": func(ctx context.Context, c *Client) error {
		list, err := c.Sessions(ctx)
		return none(list == nil, err)
	},
	"tail":   func(ctx context.Context, c *Client) error { _, err := c.AuditTail(ctx, 3); return err },
	"show":   func(ctx context.Context, c *Client) error { _, err := c.AuditShow(ctx, 3); return err },
	"verify": func(ctx context.Context, c *Client) error { _, err := c.AuditVerify(ctx); return err },
	"export": func(ctx context.Context, c *Client) error { return c.AuditExport(ctx, io.Discard) },
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
