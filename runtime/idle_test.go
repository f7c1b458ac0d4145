package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/hooks"
	"hardshell/runtime/model"
	"hardshell/tools"
)

// A conversation that nearly fills its window is compacted while nobody talks and
// read again at once; the next turn tells of it and finds a warm cache.
func TestAFullConversationIsCompactedWhenIdle(t *testing.T) {
	s := newSlotServer(1, true)
	s.says = 40
	slotLab(t, s, nil, func(l *lab) {
		rest()
		for i := 0; ; i++ {
			if i == 40 {
				l.t.Fatal("the window never fills")
			}
			l.ask(fmt.Sprintf("question %d %s", i, strings.Repeat("x ", 150)))
			if len(l.warnings()) > 0 {
				l.t.Fatalf("turn %d: %v; it had to compact by itself", i, l.warnings())
			}
			before := len(mustSession(l, "main").Messages())
			rest()
			if len(mustSession(l, "main").Messages()) < before {
				break
			}
		}
		last := s.all()[len(s.all())-1]
		if last.q.NumPredict != 1 || !strings.Contains(last.q.Messages[1].Text, "were left out here because the window of 8192 tokens was full") {
			t.Errorf("no warm-up followed: num_predict %d, %d messages, the first begins %.80q", last.q.NumPredict, len(last.q.Messages), last.q.Messages[1].Text)
		}
		l.ask("and now?")
		if d := cmp.Diff([]string{"compacted"}, l.warnings()); d != "" {
			t.Error(d)
		}
		now := s.all()[len(s.all())-1]
		if 100*now.reused < 95*last.prompt {
			t.Errorf("the next turn reused %d of %d", now.reused, last.prompt)
		}
		l.ask("again?")
		if w := l.warnings(); len(w) != 0 {
			t.Errorf("told twice: %v", w)
		}
	})
}

// A server that comes up later is warmed then, without a word of anybody.
func TestWarmUpWaitsForTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := warmLab(t, nil, func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
			return model.Reply{}, errors.New("nobody listens")
		}, say("x"))
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); l.agent.Idle(ctx, "main") }()
		pass(time.Minute - time.Second)
		if n := l.model.count(); n != 1 {
			t.Errorf("%d requests in the first minute", n)
		}
		pass(2 * time.Second)
		stop()
		<-done
		if n := l.model.count(); n != 2 {
			t.Errorf("%d requests, want a second try", n)
		}
	})
}

// A hook that fails keeps the prompt from being made, and so from being read: that is
// tried ever less often, told once, and at once again when the hooks are others.
func TestAFailingHookIsTriedEverLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var mu sync.Mutex
		runs, fails := 0, true
		hook := hooks.Hook{Name: "bench", On: hooks.Bootstrap, Run: func(context.Context, tools.Origin, string) (tools.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			runs++
			if fails {
				return tools.Result{Outcome: tools.Failed, Text: "failed: exit 1"}, nil
			}
			return tools.Result{Outcome: tools.OK, Text: "{}"}, nil
		}}
		ran := func() int {
			mu.Lock()
			defer mu.Unlock()
			return runs
		}
		l := newLab(t, func(c *Config) {
			c.WarmUp, c.Hooks, c.Log = true, []hooks.Hook{hook}, slog.New(slog.NewTextHandler(&log, nil))
		}, say("x"))
		l.files.set("AGENTS.md", strings.Repeat("One more rule of the lab. ", 100))
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); l.agent.Idle(ctx, "main") }()
		var got []int
		for _, at := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			pass(at*time.Minute - time.Second)
			before := ran()
			pass(time.Second)
			got = append(got, before, ran())
		}
		if d := cmp.Diff([]int{1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9}, got); d != "" {
			t.Errorf("runs before and after each step: %s", d)
		}
		why := l.agent.Status(context.Background()).Spared
		if n := strings.Count(log.String(), "nothing is read ahead of need"); n != 1 || !strings.HasPrefix(why, `hook "bench" (agent:bootstrap) failed`) {
			t.Errorf("told %d times; status says %q", n, why)
		}
		mu.Lock()
		fails = false
		mu.Unlock()
		l.agent.Retune(*l.agent.now())
		pass(3 * time.Second)
		if n := l.model.count(); n != 1 || l.agent.Status(context.Background()).Spared != "" {
			t.Errorf("%d requests, status says %q", n, l.agent.Status(context.Background()).Spared)
		}
		stop()
		<-done
	})
}
