package runtime

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
)

// slotLab is an agent before a server with slots, in a bubble of its own.
func slotLab(t *testing.T, s *slotServer, change func(*Config), run func(l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.start()
		l := newLab(t, func(c *Config) {
			c.Model, c.WarmUp = s, true
			if change != nil {
				change(c)
			}
		})
		l.files.set("AGENTS.md", "# Lab\n"+strings.Repeat("One more rule of the lab. ", 100))
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); l.agent.Idle(ctx, "main") }()
		defer func() { stop(); <-done }()
		run(l)
	})
}

// rest lets the agent do what it does while nobody talks.
func rest() { pass(40 * time.Second) }

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// alternate lets main and sub-agent turns follow each other.
func (l *lab) alternate(n int) {
	l.t.Helper()
	for i := range n {
		for _, end := range []string{l.ask(fmt.Sprint("question ", i)).Status, l.sub(Task{Run: "1", Text: fmt.Sprint("task ", i)}).Status} {
			if end != Done {
				l.t.Fatalf("turn %d ended as %s", i, end)
			}
		}
	}
}

// reuses holds that a request reused at least 95 % of the one before it in its
// session.
func (l *lab) reuses(all []served) {
	l.t.Helper()
	last := map[string]served{}
	for i, r := range all {
		system := r.q.Messages[0].Text
		if before, ok := last[system]; ok && 100*r.reused < 95*before.prompt {
			l.t.Errorf("request %d (%.20s) reused %d of %d", i+1, system, r.reused, before.prompt)
		}
		last[system] = r
	}
}

func TestSeedingKeepsTwoPromptsApart(t *testing.T) {
	for name, c := range map[string]struct{ two string }{
		"a server that counts":   {" tokens of the main prompt stayed while the other one was read"},
		"a server that does not": {"by the time that it took, a sub-agent's prompt: 1ms behind the other one and 1ms by itself, where all of it takes "},
	} {
		s := newSlotServer(2, strings.HasSuffix(name, "counts"))
		t.Run(name, func(t *testing.T) {
			slotLab(t, s, nil, func(l *lab) {
				rest()
				l.alternate(4)
				if got := l.agent.warm.Slots(); got.Count != 2 || !strings.Contains(got.Why, c.two) {
					t.Errorf("%+v", got)
				}
				l.reuses(s.turns())
				if s.most != 2 {
					t.Errorf("%d requests at once, want the two of the seeding", s.most)
				}
				// The ledger knows: nothing is read ahead of need any more.
				before := len(s.all())
				rest()
				if len(s.all()) != before {
					t.Errorf("%d requests more while nobody talked", len(s.all())-before)
				}
			})
		})
	}
}

func TestOneSlotIsFoundAndRefilledWhenIdle(t *testing.T) {
	for name, one := range map[string]string{
		"a server that counts":   "tokens of the main prompt were read again after the other one",
		"a server that does not": "by the time that it took, the main prompt: ",
	} {
		s := newSlotServer(1, strings.HasSuffix(name, "counts"))
		t.Run(name, func(t *testing.T) {
			slotLab(t, s, nil, func(l *lab) {
				rest()
				for i := range 3 {
					l.alternate(1)
					if got := l.agent.warm.Slots(); got.Count != 1 || !strings.Contains(got.Why, one) {
						l.t.Fatalf("round %d: %+v", i, got)
					}
					rest()
				}
				var main []served
				for _, r := range s.turns() {
					if !strings.HasPrefix(r.q.Messages[0].Text, "As a sub-agent") {
						main = append(main, r)
					}
				}
				l.reuses(main)
				if s.most != 1 {
					t.Errorf("%d requests at once", s.most)
				}
			})
		})
	}
}

// While a model is loaded the server may turn the order of two requests round: that
// the main prompt was read last is no second slot.
func TestOrderTurnedRoundIsNoSecondSlot(t *testing.T) {
	for _, slots := range []int{1, 2} {
		s := newSlotServer(slots, true)
		s.turned = true
		slotLab(t, s, func(c *Config) { c.SubSlot = true }, func(l *lab) {
			rest()
			if got := l.agent.warm.Slots(); got.Count != slots {
				t.Errorf("a server with %d slots: %+v", slots, got)
			}
		})
	}
}

// What is not known is not two: the main prompt is read again when idle. A model that
// reads in no time is told all the same, as long as cold and warm differ.
func TestSlotsThatCantBeToldCountAsOne(t *testing.T) {
	for name, c := range map[string]struct {
		read, least time.Duration
		slots, want int
	}{
		"two, fast":                  {10 * time.Microsecond, time.Millisecond, 2, 2},
		"one, fast":                  {10 * time.Microsecond, time.Millisecond, 1, 1},
		"cold and warm look alike":   {10 * time.Microsecond, 50 * time.Millisecond, 2, 0},
		"no time is told whatsoever": {0, 0, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSlotServer(c.slots, false)
			s.loaded, s.read, s.least = true, c.read, c.least
			slotLab(t, s, func(c *Config) { c.SubSlot = true }, func(l *lab) {
				rest()
				got := l.agent.warm.Slots()
				if got.Count != c.want || (got.Count == 0) != strings.HasPrefix(got.Why, "not told ") {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// A model that reads and answers in no time holds its slot on the second try, since
// its prompt is made longer.
func TestAFastModelsSlotsAreFound(t *testing.T) {
	s := newSlotServer(2, true)
	s.says, s.read, s.loaded, s.late = 1, 5*time.Microsecond, true, 150*time.Millisecond
	slotLab(t, s, func(c *Config) {
		c.SubSlot, c.NumCtx = true, 1<<17
		c.Catalog.(*catalog).info.Window = 1 << 17 // before the agent looks
	}, func(l *lab) {
		rest()
		l.agent.warm.Kick()
		rest()
		if got := l.agent.warm.Slots(); got.Count != 2 {
			t.Errorf("%+v", got)
		}
		l.alternate(3)
		l.reuses(s.turns())
	})
}

// A model that says next to nothing gives its slot back at once: one more try, then
// the server counts as one with a single slot.
func TestSeedingThatCameToNothing(t *testing.T) {
	s := newSlotServer(2, true)
	s.says, s.read, s.loaded = 0, time.Microsecond, true
	slotLab(t, s, func(c *Config) { c.SubSlot = true }, func(l *lab) {
		rest()
		if got := l.agent.warm.Slots(); got.Count != 0 || !strings.Contains(got.Why, "ended too soon to tell") {
			l.t.Fatalf("%+v", got)
		}
		l.agent.warm.Kick()
		rest()
		if got := l.agent.warm.Slots(); got.Count != 1 {
			l.t.Fatalf("%+v", got)
		}
		before := len(s.all())
		l.agent.warm.Kick()
		rest()
		if n := len(s.all()) - before; n != 0 {
			t.Errorf("%d requests after that", n)
		}
	})
}

// Whatever ended the runner, the slots are seeded anew: while nobody talks when the
// person wants that, else before the next sub-agent.
func TestSeedingIsRepeatedForANewRunner(t *testing.T) {
	for name, c := range map[string]struct{ always bool }{"while nobody talks": {true}, "before the next sub-agent": {false}} {
		t.Run(name, func(t *testing.T) {
			s := newSlotServer(2, true)
			slotLab(t, s, func(cfg *Config) { cfg.SubSlot = c.always }, func(l *lab) {
				rest()
				l.alternate(1)
				s.restart()
				l.ask("who is there?")
				if got := l.agent.warm.Slots(); got.Count != 0 {
					t.Errorf("the slots of a dead runner still count: %+v", got)
				}
				rest()
				if got := l.agent.warm.Slots().Count; (got == 2) != c.always {
					t.Errorf("%d slots after a rest", got)
				}
				from := len(s.turns())
				l.alternate(3)
				if got := l.agent.warm.Slots(); got.Count != 2 {
					t.Errorf("%+v", got)
				}
				l.reuses(s.turns()[from:])
			})
		})
	}
}

// Unless the person wants a sub-agent's slot, nothing but the main prompt is sent
// while there is none.
func TestNoOtherPrefixBetweenTurns(t *testing.T) {
	s := newSlotServer(2, true)
	slotLab(t, s, nil, func(l *lab) {
		rest()
		for i := range 3 {
			l.ask(fmt.Sprint("question ", i))
			rest()
		}
		for i, r := range s.all() {
			if !strings.HasPrefix(r.q.Messages[0].Text, "You are the lab agent") {
				t.Errorf("request %d has another prefix", i+1)
			}
		}
		if n := len(s.all()); n != 4 {
			t.Errorf("%d requests, want a warm-up and three turns", n)
		}
		l.reuses(s.all())
	})
}

// A person's word ends a seeding at once, and it is made up for.
func TestATurnEndsTheSeeding(t *testing.T) {
	s := newSlotServer(2, true)
	slotLab(t, s, func(c *Config) { c.SubSlot = true }, func(l *lab) {
		pass(time.Second) // the model is still loading
		if end := l.ask("hi"); end.Status != Done {
			l.t.Fatalf("%+v", end)
		}
		if n := len(s.all()); n != 1 {
			t.Errorf("%d requests were answered before the person's", n-1)
		}
		rest()
		if got := l.agent.warm.Slots(); got.Count != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// Two sub-agents and a person at once: one request at a time, the person's first of
// those that wait, nobody times out, status shows the queue.
func TestCase035_APersonGoesBeforeSubAgents(t *testing.T) {
	s := newSlotServer(1, true)
	s.says = 400 // 20 s an answer
	slotLab(t, s, func(c *Config) { c.WarmUp = false }, func(l *lab) {
		var all sync.WaitGroup
		var mu sync.Mutex
		var order []string
		start := func(name string, run func() event.End) {
			all.Go(func() {
				end := run()
				mu.Lock()
				defer mu.Unlock()
				order = append(order, name+" "+end.Status)
			})
			synctest.Wait()
		}
		silent := func(event.Event) {}
		for _, name := range []string{"one", "two"} {
			start(name, func() event.End {
				return l.agent.Sub(context.Background(), Task{Run: name, Text: "x"}, silent)
			})
		}
		start("person", func() event.End { return l.agent.Turn(context.Background(), Ask{Text: "hi"}, silent) })
		if d := cmp.Diff([]string{"main", "sub:two"}, l.agent.Status(context.Background()).Waiting); d != "" {
			t.Error(d)
		}
		all.Wait()
		if d := cmp.Diff([]string{"one done", "person done", "two done"}, order); d != "" {
			t.Error(d)
		}
		if s.most != 1 {
			t.Errorf("%d requests at once", s.most)
		}
	})
}

// Heat and power come first: nothing is read ahead of need, and a minute later
// somebody looks again.
func TestNothingAheadOfNeedInTheHeat(t *testing.T) {
	const why = "the board is at 86 °C"
	s, hot := newSlotServer(2, true), atomic.Bool{}
	hot.Store(true)
	spare := func(context.Context) string {
		if hot.Load() {
			return why
		}
		return ""
	}
	slotLab(t, s, func(c *Config) { c.SubSlot, c.Spare = true, spare }, func(l *lab) {
		rest()
		l.sub(Task{Run: "1", Text: "x"})
		if n := len(s.all()); n != 1 {
			t.Errorf("%d requests, want the sub-agent's own", n)
		}
		if st := l.agent.Status(context.Background()); st.Spared != why {
			t.Errorf("status says %q", st.Spared)
		}
		hot.Store(false)
		pass(time.Minute + 40*time.Second)
		if got := l.agent.warm.Slots(); got.Count != 2 {
			t.Errorf("%+v", got)
		}
		if st := l.agent.Status(context.Background()); st.Spared != "" || st.Slots.Count != 2 {
			t.Errorf("status says %q, %+v", st.Spared, st.Slots)
		}
	})
}
