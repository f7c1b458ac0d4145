package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
)

func warmLab(t *testing.T, change func(*Config), steps ...step) *lab {
	t.Helper()
	l := newLab(t, func(c *Config) {
		c.WarmUp = true
		if change != nil {
			change(c)
		}
	}, steps...)
	l.files.set("AGENTS.md", "# Lab\n"+strings.Repeat("One more rule of the lab. ", 100))
	return l
}

// tend does what is due while nobody talks, and expects nothing in its way.
func (l *lab) tend() {
	l.t.Helper()
	if l.agent.Tend(context.Background()) {
		l.t.Error("something is in the way of a warm-up")
	}
}

func TestWarmUpReadsWhatTheFirstTurnSends(t *testing.T) {
	l := warmLab(t, nil, say("x"), say("hello"), say("again"))
	l.tend()
	if _, frozen := mustSession(l, "main").Frozen(); frozen {
		t.Error("a warm-up froze the prefix")
	}
	l.ask("hi")
	l.checkPrefix()
	warm, first := l.model.requests[0], l.model.requests[1]
	if warm.NumPredict != 1 || warm.NumCtx != first.NumCtx || len(warm.Messages) != 1 {
		t.Errorf("warm-up: num_predict %d, num_ctx %d, %d messages", warm.NumPredict, warm.NumCtx, len(warm.Messages))
	}
	// All of it is in the cache now: another warm-up has nothing to do.
	l.tend()
	if len(l.model.requests) != 2 {
		t.Errorf("%d requests, want 2", len(l.model.requests))
	}
}

func TestWarmUpOff(t *testing.T) {
	l := warmLab(t, func(c *Config) { c.WarmUp = false })
	l.tend()
	if len(l.model.requests) != 0 {
		t.Errorf("%d requests, want none", len(l.model.requests))
	}
}

func TestATurnEndsTheWarmUp(t *testing.T) {
	began := make(chan struct{})
	l := warmLab(t, nil, func(ctx context.Context, _ model.Request, _ func(model.Chunk)) (model.Reply, error) {
		close(began)
		<-ctx.Done() // a long read, cut short
		return model.Reply{}, context.Cause(ctx)
	}, say("hello"))
	again := make(chan bool, 1)
	go func() { again <- l.agent.Tend(context.Background()) }()
	<-began
	if end := l.ask("hi"); end.Answer != "hello" {
		t.Errorf("%+v", end)
	}
	if <-again {
		t.Error("a warm-up that was cut short is no failure")
	}
	if d := cmp.Diff(2, len(l.model.requests)); d != "" {
		t.Error(d)
	}
}

// Another agent's turn is as good a reason to wait as an own one.
func TestNoWarmUpUnderAnothersTurn(t *testing.T) {
	busy := true
	l := warmLab(t, func(c *Config) { c.Busy = func() bool { return busy } }, say("x"))
	l.tend()
	if n := len(l.model.requests); n != 0 {
		t.Errorf("%d requests under another's turn", n)
	}
	busy = false
	l.tend()
	if n := len(l.model.requests); n != 1 {
		t.Errorf("%d requests when it was over", n)
	}
}
