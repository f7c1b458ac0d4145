package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/tools"
	"hardshell/tools/command"
)

// commands are Jobs in memory.
type commands struct {
	mu   sync.Mutex
	all  []command.ProcessRecord
	over []string // sessions that were ended
	fail error    // Told keeps nothing
}

func (c *commands) Commands(session string) (running, untold []command.ProcessRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.all {
		switch {
		case session != "" && r.Session != session:
		case r.Runs():
			running = append(running, r)
		case !r.Delivered:
			untold = append(untold, r)
		}
	}
	return running, untold
}

func (c *commands) Delivered(ids ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	for i := range c.all {
		for _, id := range ids {
			c.all[i].Delivered = c.all[i].Delivered || c.all[i].ID == id
		}
	}
	return nil
}

func (c *commands) EndSession(session string) { c.over = append(c.over, session) }

// runs adds a command that runs, ends closes it.
func (c *commands) runs(id, subject string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, command.ProcessRecord{ID: id, Session: "main", Subject: subject, Began: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)})
}

func (c *commands) ends(id, how, last string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.all {
		if c.all[i].ID == id {
			c.all[i].How, c.all[i].Last, c.all[i].Ended = how, last, c.all[i].Began.Add(time.Minute)
		}
	}
}

// withCommands is a lab with commands in the background.
func withCommands(t *testing.T, steps ...step) (*lab, *commands) {
	c := &commands{}
	return newLab(t, func(cfg *Config) { cfg.Jobs = c }, steps...), c
}

// said is the newest message of a person, or of the runtime, in a request.
func said(q model.Request) string {
	for i := len(q.Messages) - 1; i >= 0; i-- {
		if q.Messages[i].Role == "user" {
			return q.Messages[i].Text
		}
	}
	return ""
}

// awaken wakes the main session and gives what those who watch it see.
func (l *lab) awaken() []event.Event {
	l.t.Helper()
	l.events = nil
	ctx, cancel := context.WithCancel(l.t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { l.agent.Watch(ctx, "", func(e event.Event) { l.events = append(l.events, e) }) })
	l.await(func() bool { return len(l.agent.watch.list) == 1 })
	l.agent.Wake(l.t.Context(), "main")
	cancel()
	watching.Wait()
	return l.events
}

// await looks until something holds that the agent guards.
func (l *lab) await(holds func() bool) {
	for {
		l.agent.watch.mu.Lock()
		done := holds()
		l.agent.watch.mu.Unlock()
		if done {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestRunningCommandsAreToldWhenTheyChange(t *testing.T) {
	l, c := withCommands(t, say("a"), say("b"), say("c"))
	c.runs("p1", "make -j4")
	l.ask("one")
	l.ask("two")
	c.runs("p2", "arecord out.wav")
	l.ask("three")
	var told []string
	for _, q := range l.model.requests {
		told = append(told, said(q))
	}
	const p1 = "- p1 runs since 12:00:00: make -j4\n"
	want := []string{
		"one\n\n<context>\nRunning now:\n" + p1 + "</context>", "two",
		"three\n\n<context>\nRunning now:\n" + p1 + "- p2 runs since 12:00:00: arecord out.wav\n</context>",
	}
	if d := cmp.Diff(want, told); d != "" {
		t.Error(d)
	}
	l.checkPrefix()
}

func TestEndIsToldOnceWithTheNextMessage(t *testing.T) {
	l, c := withCommands(t, say("a"), say("b"))
	c.runs("p1", "make")
	c.ends("p1", "exit 2, 1m", "ld: no such file\n")
	l.ask("how is it?")
	if d := cmp.Diff([]string{prompt.EndedNotice}, l.warnings()); d != "" {
		t.Error("the person:", d)
	}
	l.ask("and now?")
	const want = `how is it?

<context>
Changed since you were last told:
- p1 (make): exit 2, 1m
<data from="the end of p1's output">
ld: no such file
</data>
</context>`
	if d := cmp.Diff([]string{want, "and now?"}, []string{said(l.model.requests[0]), said(l.model.requests[1])}); d != "" {
		t.Error(d)
	}
	if len(l.warnings()) > 0 {
		t.Error("told twice")
	}
}

// The message was stored, and the note that it tells of the end was not: a kill
// between the two tells nobody twice.
func TestEndIsToldOnceAlthoughTheNoteIsLost(t *testing.T) {
	l, c := withCommands(t, say("a"), say("b"))
	c.runs("p1", "make")
	c.ends("p1", "exit 2", "")
	c.fail = errors.New("the disk is gone")
	l.ask("one")
	if d := cmp.Diff([]string{prompt.EndedNotice, "record"}, l.warnings()); d != "" {
		t.Error(d)
	}
	c.fail = nil
	l.ask("two")
	if said(l.model.requests[1]) != "two" || len(l.warnings()) > 0 {
		t.Errorf("told again: %s, %v", said(l.model.requests[1]), l.warnings())
	}
	if _, untold := c.Commands("main"); len(untold) > 0 {
		t.Error("not noted the second time either")
	}
}

func TestWakeTellsOfEveryEndOnce(t *testing.T) {
	l, c := withCommands(t, say("ok"), say("The build failed."))
	l.ask("build it")
	c.runs("p1", "make")
	c.runs("p2", "sleep 60")
	c.runs("p3", "arecord x.wav")
	c.ends("p1", "exit 2, 1m", "ld: no such file\n")
	c.ends("p3", "exit 0", "")
	seen := l.awaken()
	const want = `<context>
Changed since you were last told:
- p3 (arecord x.wav): exit 0
Running now:
- p2 runs since 12:00:00: sleep 60
Woken by p1 (make): exit 2, 1m. No person spoke. Look at what happened and finish what was waiting for it.
<data from="p1 (make): exit 2, 1m">
ld: no such file
</data>
</context>`
	if d := cmp.Diff(want, said(l.model.requests[1])); d != "" {
		t.Error(d)
	}
	if seen[0].Start == nil || seen[0].Start.Run != "wake" || l.shown() != "The build failed." {
		t.Errorf("whoever watches sees %s, %q", l.kinds(), l.shown())
	}
	if d := cmp.Diff([]string{prompt.EndedNotice, prompt.EndedNotice}, l.warnings()); d != "" {
		t.Error(d)
	}
	if again := l.awaken(); len(again) > 0 || len(l.model.requests) != 2 {
		t.Errorf("woken again: %+v", again)
	}
	l.checkPrefix()
}

// A poll told the model of the end before the wake came.
func TestWakeThatIsNotNeededLeavesNoTrace(t *testing.T) {
	l, c := withCommands(t, say("ok"))
	c.runs("p1", "make")
	c.ends("p1", "exit 0", "")
	if err := c.Delivered("p1"); err != nil {
		t.Fatal(err)
	}
	if seen := l.awaken(); len(seen) > 0 || len(l.model.requests) > 0 {
		t.Errorf("saw %+v", seen)
	}
	end := l.do(t.Context(), Ask{Run: "wake"})
	if end.Error == nil || end.Error.Code != "nothing_new" {
		t.Errorf("asked for a wake: %+v", end)
	}
}

// A model that can't be reached is told of the end with the next message.
func TestWakeThatFailsLosesNothing(t *testing.T) {
	l, c := withCommands(t, say("I see."))
	c.runs("p1", "make")
	c.ends("p1", "exit 0", "")
	l.cat.err = &model.Error{Code: "unreachable", Message: "no server"}
	if seen := l.awaken(); len(seen) != 1 || seen[0].Notice == nil || seen[0].Notice.Code != "not_woken" || !strings.Contains(seen[0].Notice.Message, "no server") {
		t.Errorf("saw %+v", seen)
	}
	l.cat.err = nil
	l.ask("hello")
	if !strings.Contains(said(l.model.requests[0]), "p1 (make): exit 0") {
		t.Error(said(l.model.requests[0]))
	}
}

func TestWakesInARowAreBounded(t *testing.T) {
	l, c := withCommands(t, say("1"), say("2"), say("3"), say("4"))
	few := *l.agent.now()
	few.Limits.MaxWakes = 2
	l.agent.Retune(few)
	end := func(id string) []event.Event {
		c.runs(id, "make")
		c.ends(id, "exit 0", "")
		return l.awaken()
	}
	end("p1")
	end("p2")
	l.agent = New(l.agent.cfg) // a restart forgets no wake
	l.agent.Retune(few)
	seen := end("p3")
	if len(seen) != 1 || !strings.Contains(seen[0].Notice.Message, "turn.max_wakes = 2") || len(l.model.requests) != 2 {
		t.Errorf("%d requests, saw %+v", len(l.model.requests), seen)
	}
	l.ask("go on") // a person's word, which also tells of p3
	if !strings.Contains(said(l.model.requests[2]), "p3 (make): exit 0") {
		t.Error(said(l.model.requests[2]))
	}
	end("p4")
	if len(l.model.requests) != 4 {
		t.Errorf("%d requests, want 4", len(l.model.requests))
	}
}

// TestPersonGoesBeforeAWake has both wait for the same turn to end.
func TestPersonGoesBeforeAWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		held := func(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
			<-gate
			return say("first")(ctx, q, chunk)
		}
		l, c := withCommands(t, held, say("second"), say("third"))
		c.runs("p1", "make")
		var all sync.WaitGroup
		quiet := func(event.Event) {}
		all.Go(func() { l.agent.Turn(t.Context(), Ask{Text: "one"}, quiet) })
		synctest.Wait()
		c.ends("p1", "exit 0", "")
		all.Go(func() { l.agent.Wake(t.Context(), "main") })
		synctest.Wait()
		all.Go(func() { l.agent.Turn(t.Context(), Ask{Text: "two"}, quiet) })
		synctest.Wait()
		close(gate)
		all.Wait()
		// The person's message told of the end, so the wake had nothing to do.
		if len(l.model.requests) != 2 || !strings.HasPrefix(said(l.model.requests[1]), "two\n\n<context>") || !strings.Contains(said(l.model.requests[1]), "p1 (make): exit 0") {
			t.Errorf("%d requests, second: %s", len(l.model.requests), said(l.model.requests[1]))
		}
		l.agent.Close()
	})
}

// TestCase017_WaitingPollIsNoLoop polls a command that says nothing, with waits.
func TestCase017_WaitingPollIsNoLoop(t *testing.T) {
	poll := call("exec", `{"argv":["poll"]}`)
	steps := make([]step, 0, 12)
	for range 10 {
		steps = append(steps, poll)
	}
	l := newLab(t, nil, append(steps, say("it goes on"))...)
	waited := true
	l.bench.does["exec"] = func(string) tools.Result {
		r := ok("p1 runs on, no new output")
		r.Waited = waited
		return r
	}
	end := l.ask("watch it")
	if len(l.bench.ran) != 10 || end.Status != Done {
		t.Errorf("%d polls, %s", len(l.bench.ran), end.Status)
	}
	for _, c := range end.Calls {
		if c.Outcome != "ok" || strings.Contains(c.Text, "same call") {
			t.Errorf("%+v", c)
		}
	}
	waited = false
	l.bench.ran, l.model.steps = nil, append(l.model.steps, append(steps, say("enough"))...)
	l.ask("look again and again")
	if len(l.bench.ran) != 2 {
		t.Errorf("without waiting: %d polls", len(l.bench.ran))
	}
}

func TestSubAgentLeavesNothingRunning(t *testing.T) {
	l, c := withCommands(t, say("found it"))
	l.agent.Sub(t.Context(), Task{Run: "r1", Text: "look"}, func(event.Event) {})
	if d := cmp.Diff([]string{"sub:r1"}, c.over); d != "" {
		t.Error(d)
	}
}

func TestStatusTellsOfCommands(t *testing.T) {
	l, c := withCommands(t)
	c.runs("p1", "make")
	c.runs("p2", "sleep 1")
	c.ends("p2", "exit 0", "")
	st := l.agent.Status(t.Context())
	b, err := json.Marshal([]any{st.Commands, st.Ended})
	if err != nil || !strings.Contains(string(b), `"id":"p1"`) || len(st.Commands) != 1 || len(st.Ended) != 1 {
		t.Errorf("%v %s", err, b)
	}
}
