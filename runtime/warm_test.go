package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
)

func warmLab(t *testing.T, steps ...step) *lab {
	t.Helper()
	l := newLab(t, func(c *Config) { c.WarmUp = true }, steps...)
	l.files.set("AGENTS.md", "# Lab\n"+strings.Repeat("One more rule of the lab. ", 100))
	return l
}

func TestWarmUpReadsWhatTheFirstTurnSends(t *testing.T) {
	l := warmLab(t, say("x"), say("hello"), say("again"))
	if err := l.agent.Warm(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
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
	if err := l.agent.Warm(t.Context(), ""); err != nil || len(l.model.requests) != 2 {
		t.Errorf("%d requests, %v", len(l.model.requests), err)
	}
}

func TestWarmUpOff(t *testing.T) {
	l := warmLab(t)
	l.agent.cfg.WarmUp = false
	if err := l.agent.Warm(t.Context(), ""); err != nil || len(l.model.requests) != 0 {
		t.Errorf("%d requests, %v", len(l.model.requests), err)
	}
}

func TestATurnEndsTheWarmUp(t *testing.T) {
	began := make(chan struct{})
	l := warmLab(t, func(ctx context.Context, _ model.Request, _ func(model.Chunk)) (model.Reply, error) {
		close(began)
		<-ctx.Done() // a long read, cut short
		return model.Reply{}, context.Cause(ctx)
	}, say("hello"))
	warmed := make(chan error, 1)
	go func() { warmed <- l.agent.Warm(context.Background(), "") }()
	<-began
	if end := l.ask("hi"); end.Answer != "hello" {
		t.Errorf("%+v", end)
	}
	if err := <-warmed; err != nil {
		t.Errorf("a warm-up that was cut short is no failure: %v", err)
	}
	if d := cmp.Diff(2, len(l.model.requests)); d != "" {
		t.Error(d)
	}
}
