package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/tools"
)

func TestCase025_OverlongPromptIsRefusedWithATable(t *testing.T) {
	l := newLab(t, func(c *Config) { c.Budget.File, c.Budget.Total, c.Budget.WindowShare = 200_000, 200_000, 1 }, say("never"))
	l.files.set("AGENTS.md", strings.Repeat("filler words ", 10_000))
	end := l.ask("hi")
	if len(l.model.requests) != 0 || end.Status != FailedTurn || end.Error.Code != "overflow" {
		t.Fatalf("%d requests, %+v", len(l.model.requests), end)
	}
	for _, want := range []string{"AGENTS.md", "tools", "conversation", "kept for the reply", "model.num_ctx = 8192"} {
		if !strings.Contains(end.Error.Message, want) {
			t.Errorf("%q is missing in\n%s", want, end.Error.Message)
		}
	}
}

func TestCase026_TruncatedByTheServer(t *testing.T) {
	l := newLab(t, nil, func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
		r := model.Reply{DoneReason: "stop", Truncated: true}
		r.Message.Text = "I will run it."
		r.Message.Calls = []message.Call{{Name: "exec", Args: []byte(`{"argv":["x"]}`)}}
		r.Usage.Prompt = 4098
		return r, nil
	})
	end := l.ask("go")
	if len(l.bench.ran) != 0 || len(end.Calls) != 0 {
		t.Errorf("acted on a truncated prompt: %v", l.bench.ran)
	}
	if d := cmp.Diff([]string{"truncated_by_server"}, l.warnings()); d != "" {
		t.Error(d)
	}
}

func TestCase028_LoadOptionsNeverChange(t *testing.T) {
	l := newLab(t, func(c *Config) { c.Limits.NumPredict = 1024 }, say("a"), call("exec", `{}`), say("b"), say("c"), say("d"))
	l.ask("one")
	l.ask("two")
	l.do(context.Background(), Ask{Text: "three", Run: "cron"})
	defer func() {
		l.sub(Task{Run: "1", Text: "four"})
		if q := l.model.requests[4]; q.NumCtx != 8192 || q.NumPredict != 1024 || q.Model != "qwen3:4b" {
			t.Errorf("a sub-agent: %s num_ctx %d num_predict %d", q.Model, q.NumCtx, q.NumPredict)
		}
	}()
	for i, q := range l.model.requests {
		if q.NumCtx != 8192 || q.NumPredict != 1024 || q.Model != "qwen3:4b" {
			t.Errorf("request %d: %s num_ctx %d num_predict %d", i+1, q.Model, q.NumCtx, q.NumPredict)
		}
	}
	l.checkPrefix()
}

func TestCase032_MemoryWriteKeepsThePrefix(t *testing.T) {
	l := newLab(t, nil, say("hello"), call("write", `{"path":"MEMORY.md"}`), say("noted"), say("J15"), say("new"))
	l.bench.does["write"] = func(string) tools.Result {
		l.files.set("MEMORY.md", "- bench PSU is on J15\n")
		return ok("written")
	}
	l.ask("hi")
	l.ask("note that the PSU is on J15")
	l.ask("what is on J15?")
	if d := cmp.Diff([]string{"file_changed"}, l.warnings()); d != "" {
		t.Error(d)
	}
	l.checkPrefix()
	first, last := l.model.requests[0], l.model.requests[3]
	if first.Messages[0].Text != last.Messages[0].Text {
		t.Error("the system text moved within the session")
	}
	stale := l.agent.Status(context.Background()).Sessions[0].Stale
	if len(stale) != 1 || stale[0].Name != "MEMORY.md" || stale[0].Frozen != "missing" || len(stale[0].Now) != 64 {
		t.Errorf("status names %+v", stale)
	}
	l.do(context.Background(), Ask{Text: "anew", New: true})
	if fresh := l.model.requests[4]; !strings.Contains(fresh.Messages[0].Text, "bench PSU is on J15") || len(fresh.Messages) != 2 {
		t.Error("the next session's prompt does not have the fact, or has the old history")
	}
}

func TestCase043_NothingToCut(t *testing.T) {
	l := newLab(t, func(c *Config) { c.NumCtx, c.Budget.WindowShare = 4096, 1 }, say("never"))
	l.files.set("AGENTS.md", strings.Repeat("rule after rule ", 1000))
	if end := l.ask("hi"); end.Error == nil || end.Error.Code != "overflow" || len(l.model.requests) != 0 {
		t.Errorf("%+v", end)
	}
	if w := l.warnings(); len(w) > 0 && w[len(w)-1] == "compacted" {
		t.Error("compaction ran with nothing to cut")
	}
}

func TestCase044_LongToolTurnStaysInTheWindow(t *testing.T) {
	var steps []step
	for i := range 12 {
		steps = append(steps, call("read", fmt.Sprintf(`{"path":"f%d"}`, i)))
	}
	l := newLab(t, nil, append(steps, say("read them all"))...)
	l.bench.does["read"] = func(args string) tools.Result { return ok(args + strings.Repeat("0123456789abcdef", 375)) }
	end := l.ask("read twelve files")
	if end.Status != Done || len(end.Calls) != 12 {
		t.Fatalf("%+v", end.Error)
	}
	for i, q := range l.model.requests {
		if n := len(asRead(q)) / 4; n > 8192 {
			t.Errorf("request %d has about %d tokens", i+1, n)
		}
		if q.Messages[0].Text != l.model.requests[0].Messages[0].Text {
			t.Errorf("request %d: the system text moved", i+1)
		}
	}
	last := l.model.requests[12].Messages
	if got := last[len(last)-1].Text; len(got) < 6000 {
		t.Errorf("the newest result was shortened to %d bytes", len(got))
	}
	if w := l.warnings(); len(w) == 0 || w[0] != "result_shortened" {
		t.Errorf("the person was not told: %v", w)
	}
	l.pairs()
}

func TestLongChatIsCompactedOnce(t *testing.T) {
	var steps []step
	for range 40 {
		steps = append(steps, say(strings.Repeat("word ", 200)))
	}
	l := newLab(t, nil, steps...)
	compactions := 0
	for i := range 30 {
		if end := l.ask(fmt.Sprintf("question %d %s", i, strings.Repeat("x ", 200))); end.Status != Done {
			t.Fatalf("turn %d: %+v", i, end.Error)
		}
		for _, w := range l.warnings() {
			if w == "compacted" {
				compactions++
			}
		}
	}
	breaks := 0
	for i := 1; i < len(l.model.requests); i++ {
		if !strings.HasPrefix(asRead(l.model.requests[i]), asRead(l.model.requests[i-1])) {
			breaks++
		}
	}
	if compactions == 0 || breaks != compactions || compactions > 3 {
		t.Errorf("%d compactions, %d breaks of the prefix", compactions, breaks)
	}
	l.pairs()
}

// TestCompactionTellsHowManyTurnsAreMissing: however often the window filled up, what
// the model and the person read is the number of turns that are really left out.
func TestCompactionTellsHowManyTurnsAreMissing(t *testing.T) {
	var steps []step
	for range 40 {
		steps = append(steps, say(strings.Repeat("word ", 200)))
	}
	l := newLab(t, nil, steps...)
	var told []string
	for i := range 40 {
		if end := l.ask(fmt.Sprintf("question %d %s", i, strings.Repeat("x ", 200))); end.Status != Done {
			t.Fatalf("turn %d: %+v", i, end.Error)
		}
		msgs := l.model.requests[i].Messages
		here := 0
		for _, m := range msgs {
			if m.Role == message.User && strings.HasPrefix(m.Text, "question ") {
				here++
			}
		}
		missing := i + 1 - here
		if missing > 0 && !strings.HasPrefix(msgs[1].Text, fmt.Sprintf("[runtime] %d earlier turns of this conversation were left out here", missing)) {
			t.Errorf("turn %d: %d turns are missing, and the model reads %.120q", i, missing, msgs[1].Text)
		}
		for _, e := range l.events {
			if e.Kind == event.Warning && e.Notice.Code == "compacted" {
				told = append(told, e.Notice.Message)
				if want := fmt.Sprintf("%d earlier turns were left out of the prompt: ", missing); !strings.HasPrefix(e.Notice.Message, want) {
					t.Errorf("turn %d: the person reads %q, want %q", i, e.Notice.Message, want)
				}
			}
		}
	}
	if len(told) < 2 {
		t.Errorf("compacted %d times, the test needs two: %q", len(told), told)
	}
}

func TestASessionOutlivesItsProcess(t *testing.T) {
	l := newLab(t, nil, say("one"), say("two"))
	l.ask("first")
	cfg := l.agent.cfg
	l.agent = New(cfg)
	l.ask("second")
	l.checkPrefix()
	if n := len(l.model.requests[1].Messages); n != 4 {
		t.Errorf("%d messages after the restart", n)
	}
}

// TestCase175_OldCallsKeepWholeArguments makes a call with 7 KB of arguments old
// history and has the window fill up: every call that is still sent has arguments that
// are valid JSON and the very bytes that the model wrote, and its result behind it.
func TestCase175_OldCallsKeepWholeArguments(t *testing.T) {
	args := `{"path":"notes.md","argv":["` + strings.Repeat(`0123456 \"x\" `, 500) + `"]}`
	steps := []step{call("write", args), say("written")}
	for range 12 {
		steps = append(steps, call("exec", `{"argv":["dmesg"]}`), say("seen"))
	}
	l := newLab(t, func(c *Config) { c.Limits.NumPredict = 256 }, steps...)
	l.bench.does["write"] = func(string) tools.Result { return ok("7 KB written") }
	n := 0
	l.bench.does["exec"] = func(string) tools.Result {
		n++
		return ok(fmt.Sprintf("%d\n%s", n, strings.Repeat("kernel line ", 400)))
	}
	l.ask("write it down")
	compacted, held := false, false
	for i := range 12 {
		if end := l.ask(fmt.Sprintf("look %d", i)); end.Status != Done {
			t.Fatalf("%+v", end.Error)
		}
		l.pairs()
		compacted = compacted || slices.Contains(l.warnings(), "compacted")
		for _, m := range l.model.requests[len(l.model.requests)-1].Messages {
			for _, c := range m.Calls {
				if !json.Valid(c.Args) || c.Name == "write" && string(c.Args) != args {
					t.Fatalf("the arguments of %s were cut: %.80s", c.Name, c.Args)
				}
				held = held || c.Name == "write"
			}
		}
	}
	if !compacted || !held {
		t.Errorf("compacted %v, the long call was sent as history %v: nothing was tried", compacted, held)
	}
}

// A turn that the process before did not end stands in the record, and status says so.
func TestStatusTellsHowTheRecordIsRead(t *testing.T) {
	var l *lab
	var found []string
	l = newLab(t, nil, func(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		found = New(l.agent.cfg).Status(ctx).Sessions[0].Repairs
		return say("one")(ctx, q, chunk)
	})
	l.ask("first")
	if d := cmp.Diff([]string{"turn t1 was interrupted"}, found); d != "" {
		t.Errorf("within the turn (-want +got):\n%s", d)
	}
	if found = New(l.agent.cfg).Status(t.Context()).Sessions[0].Repairs; found != nil {
		t.Errorf("after it: %q", found)
	}
}
