package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/tools"
)

// pairs fails when a call of the last request has no result right behind it, or a
// result no call.
func (l *lab) pairs() {
	l.t.Helper()
	msgs := l.model.requests[len(l.model.requests)-1].Messages
	want := map[string]bool{}
	for _, m := range msgs {
		if m.Role == message.Tool {
			if !want[m.CallID] {
				l.t.Errorf("result of %q has no open call", m.CallID)
			}
			delete(want, m.CallID)
			continue
		}
		if len(want) > 0 {
			l.t.Errorf("%s message while %v wait for their result", m.Role, want)
		}
		for _, c := range m.Calls {
			want[c.ID] = true
		}
	}
}

func TestATurnWithACall(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["uname"]}`), say("It is arm64."))
	end := l.ask("what machine is this?")
	if end.Status != Done || end.Answer != "It is arm64." {
		t.Fatalf("%+v", end)
	}
	if d := cmp.Diff("turn.start tool.start tool.end model.chunk turn.end", l.kinds()); d != "" {
		t.Error(d)
	}
	want := []event.Tool{{
		ID: "t1.1", Name: "exec", Args: []byte(`{"argv":["uname"]}`), Text: "exec says hi",
		Outcome: "ok", Verdict: "allow", Rule: "exec.test",
	}}
	if d := cmp.Diff(want, end.Calls); d != "" {
		t.Error(d)
	}
	if end.Usage.Requests != 2 || end.Usage.Reused != nil {
		t.Errorf("usage %+v: two requests, reuse unknown", end.Usage)
	}
	l.checkPrefix()
	l.pairs()
}

func TestCase001_CallAsText(t *testing.T) {
	l := newLab(t, nil, say(`{"name":"exec","arguments":{"argv":["uptime"]}}`), say("Up for a day."))
	end := l.ask("how long is it up?")
	if d := cmp.Diff([]string{`exec {"argv":["uptime"]}`}, l.bench.ran); d != "" {
		t.Error(d)
	}
	if end.Answer != "Up for a day." || strings.Contains(l.shown(), "{") {
		t.Errorf("the person saw %q, answer %q", l.shown(), end.Answer)
	}
	l.pairs()
}

func TestCase002_TaggedCallIsJudgedLikeANativeOne(t *testing.T) {
	l := newLab(t, nil, say("<tool_call>\n{\"name\":\"exec\",\"arguments\":{\"argv\":[\"reboot\"]}}\n</tool_call>"), say("It was refused."))
	l.bench.does["exec"] = func(string) tools.Result { return refused("builtin.power") }
	end := l.ask("reboot")
	if end.Status != RefusedTurn || end.Calls[0].Rule != "builtin.power" || end.Calls[0].Verdict != "deny" {
		t.Errorf("%+v", end)
	}
	if l.shown() != "It was refused." {
		t.Errorf("the person saw %q", l.shown())
	}
}

func TestCase004_ClaimWithoutCall(t *testing.T) {
	l := newLab(t, nil, say("Done, answer.txt now holds 42."), say("Done, answer.txt now holds 42."))
	end := l.ask("Write 42 to answer.txt")
	if !strings.Contains(end.Answer, "No action was taken") || len(end.Calls) != 0 || end.Usage.Requests != 2 {
		t.Errorf("%+v", end)
	}
	acted := newLab(t, nil, say("Done, it is written."), call("exec", `{}`), say("Done, now it is written."))
	if end := acted.ask("Write 42"); strings.Contains(end.Answer, "No action") || len(end.Calls) != 1 {
		t.Errorf("after the nudge it acted: %+v", end)
	}
	l.checkPrefix()
}

func TestCase005_UnknownToolInText(t *testing.T) {
	l := newLab(t, nil, say(`{"name":"web_search","arguments":{"query":"pinout"}}`), say("I have no web search."))
	end := l.ask("find the pinout")
	last := l.model.requests[1].Messages
	nudge := last[len(last)-1].Text
	for _, want := range []string{"web_search", "exec, read, write"} {
		if !strings.Contains(nudge, want) {
			t.Errorf("the model was told %q", nudge)
		}
	}
	if l.shown() != "I have no web search." || end.Status != Done || len(end.Calls) != 0 {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
	stubborn := newLab(t, nil, say(`{"name":"web_search","arguments":{}}`), say(`{"name":"web_search","arguments":{}}`))
	if end := stubborn.ask("find it"); end.Status != FailedTurn || strings.Contains(end.Answer, "{") || end.Error.Code != "unknown_tool" {
		t.Errorf("%+v", end)
	}
}

func TestCase013_GuessedToolName(t *testing.T) {
	l := newLab(t, nil, call("gpio_set", `{"pin":"J7"}`), say("That tool does not exist."))
	end := l.ask("set the pin")
	if end.Status != Done || end.Answer == "" || end.Calls[0].Outcome != "unknown" || end.Calls[0].Verdict != "" {
		t.Errorf("%+v", end)
	}
	l.pairs()
}

func TestCase014_SixCallsOfAMissingTool(t *testing.T) {
	var six []string
	for range 6 {
		six = append(six, "calc", `{"expr":"3*7"}`)
	}
	l := newLab(t, nil, call(six...), say("21"))
	end := l.ask("what is 3*7?")
	if len(end.Calls) != 1 || end.Answer != "21" {
		t.Errorf("%d results, %+v", len(end.Calls), end)
	}
	l.pairs()
}

func TestCase016_RepeatedCallIsStopped(t *testing.T) {
	var steps []step
	for i := range 40 {
		steps = append(steps, call("exec", fmt.Sprintf(`{"argv":["id"],"note":"attempt %d"}`, i)))
	}
	l := newLab(t, func(c *Config) { c.Limits.MaxSteps = 8 }, steps...)
	end := l.ask("who am I?")
	if len(l.bench.ran) != 5 {
		t.Errorf("it ran %d times", len(l.bench.ran))
	}
	if end.Calls[5].Rule != "loop.repeat" || end.Calls[5].Outcome != "refused" {
		t.Errorf("sixth call: %+v", end.Calls[5])
	}
	if !strings.Contains(end.Calls[2].Text, "3th time") && !strings.Contains(end.Calls[2].Text, "3rd time") {
		t.Errorf("no warning at the third: %q", end.Calls[2].Text)
	}
}

func TestCase022_ShortAnswerIsShown(t *testing.T) {
	l := newLab(t, nil, say("NO"))
	if end := l.ask("Which skills do you have?"); end.Answer != "NO" || l.shown() != "NO" {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
}

func TestCase023_OneBadCallAmongSeveral(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["a"]}`, "nope", `{}`), say("One worked."))
	end := l.ask("both")
	var outcomes []string
	for _, c := range end.Calls {
		outcomes = append(outcomes, c.Name+" "+c.Outcome)
	}
	if d := cmp.Diff([]string{"exec ok", "nope unknown"}, outcomes); d != "" {
		t.Error(d)
	}
	l.pairs()
}

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
	l := newLab(t, nil, say("a"), call("exec", `{}`), say("b"), say("c"))
	l.ask("one")
	l.ask("two")
	l.do(context.Background(), Ask{Text: "three", Run: "cron"})
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

func TestCase038_ModelThatComesLater(t *testing.T) {
	l := newLab(t, nil, say("here"))
	l.cat.err = &model.Error{Code: "model_missing", Message: "qwen3:4b is not there", Hint: "agent model pull qwen3:4b"}
	if end := l.ask("hi"); end.Status != ModelTurn || end.Error.Code != "model_missing" || end.Error.Hint == "" {
		t.Fatalf("%+v", end)
	}
	l.cat.err = nil
	if end := l.ask("hi"); end.Status != Done {
		t.Errorf("no restart was needed: %+v", end)
	}
	if got := len(l.model.requests[0].Messages); got != 2 {
		t.Errorf("%d messages: the refused question must not be in the history", got)
	}
}

func TestCase040_StalledStreamKeepsThePart(t *testing.T) {
	l := newLab(t, nil, func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "The fan "})
		r := model.Reply{}
		r.Message.Text, r.Message.Cut = "The fan ", "stalled"
		return r, &model.Error{Code: "stalled", Message: "no data for 60s (model.idle_timeout)"}
	}, say("turns."))
	end := l.ask("how is the fan?")
	if end.Status != LimitTurn || l.shown() != "The fan " || end.Answer != "The fan " {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
	l.ask("go on")
	msgs := l.model.requests[1].Messages
	if part := msgs[2]; part.Text != "The fan " || part.Cut != "stalled" {
		t.Errorf("the part was not kept: %+v", part)
	}
	l.checkPrefix()
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
		if n := len(prompt(q)) / 4; n > 8192 {
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
		if !strings.HasPrefix(prompt(l.model.requests[i]), prompt(l.model.requests[i-1])) {
			breaks++
		}
	}
	if compactions == 0 || breaks != compactions || compactions > 3 {
		t.Errorf("%d compactions, %d breaks of the prefix", compactions, breaks)
	}
	l.pairs()
}

func TestEmptyAnswer(t *testing.T) {
	l := newLab(t, nil, say(""), say(" \n"))
	if end := l.ask("hi"); end.Status != FailedTurn || end.Error.Code != "empty_answer" || end.Usage.Requests != 2 {
		t.Errorf("%+v", end)
	}
	again := newLab(t, nil, say(""), say("Hello."))
	if end := again.ask("hi"); end.Status != Done || end.Answer != "Hello." {
		t.Errorf("%+v", end)
	}
}

func TestCase199_LimitsIntroduceThemselves(t *testing.T) {
	var many []step
	for i := range 10 {
		many = append(many, call("exec", fmt.Sprintf(`{"argv":["%d"]}`, i)))
	}
	for name, c := range map[string]struct {
		set  func(*Config)
		says string
	}{
		"steps": {func(c *Config) { c.Limits.MaxSteps = 3 }, "turn.max_steps = 3"},
		"calls": {func(c *Config) { c.Limits.MaxCalls = 2 }, "turn.max_calls = 2"},
	} {
		l := newLab(t, c.set, many...)
		end := l.ask("go")
		if end.Status != LimitTurn || !strings.Contains(end.Error.Message, c.says) || !strings.Contains(end.Error.Hint, "config.toml") {
			t.Errorf("%s: %+v %+v", name, end, end.Error)
		}
		l.bench.does["exec"] = func(string) tools.Result { return ok("x") }
		l.model.steps = append(l.model.steps[:len(l.model.requests)], say("fine"))
		if end := l.ask("go on"); end.Status != Done {
			t.Errorf("%s: the next turn fails: %+v", name, end.Error)
		}
		l.pairs()
	}
	slow := newLab(t, func(c *Config) { c.Limits.MaxTime = time.Millisecond }, func(ctx context.Context, _ model.Request, _ func(model.Chunk)) (model.Reply, error) {
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	})
	if end := slow.ask("go"); end.Status != LimitTurn || !strings.Contains(end.Error.Message, "turn.max_time = 1ms") {
		t.Errorf("%+v", end.Error)
	}
}

func TestStopKeepsWhatWasSaid(t *testing.T) {
	started := make(chan struct{})
	l := newLab(t, nil, func(ctx context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "Half"})
		close(started)
		<-ctx.Done()
		r := model.Reply{}
		r.Message.Text, r.Message.Cut = "Half", "interrupted"
		return r, context.Cause(ctx)
	}, say("on"))
	go func() {
		<-started
		if !l.agent.Stop("") {
			t.Error("Stop found no turn")
		}
	}()
	end := l.ask("long story")
	if end.Status != Interrupted || end.Answer != "Half" || end.Error.Code != "stopped" {
		t.Errorf("%+v", end)
	}
	if l.agent.Stop("") {
		t.Error("Stop found a turn after its end")
	}
	l.ask("go on")
	l.checkPrefix()
}

func TestStopDuringCallsKeepsPairs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l := newLab(t, nil, call("exec", `{"argv":["a"]}`, "exec", `{"argv":["b"]}`), say("on"))
	l.bench.does["exec"] = func(string) tools.Result { cancel(); return ok("did a") }
	end := l.do(ctx, Ask{Text: "both"})
	if end.Status != Interrupted || len(l.bench.ran) != 1 {
		t.Errorf("ran %v, %+v", l.bench.ran, end)
	}
	l.ask("go on")
	l.pairs()
	l.checkPrefix()
}

func TestAToolThatCannotBeRecordedEndsTheTurn(t *testing.T) {
	l := newLab(t, nil, call("exec", `{}`), say("on"))
	l.agent.cfg.Tools = brokenDoor{l.bench}
	end := l.ask("go")
	if end.Status != FailedTurn || !strings.Contains(end.Error.Message, "disk is full") {
		t.Errorf("%+v", end)
	}
	l.agent.cfg.Tools = l.bench
	l.ask("go on")
	l.pairs()
}

type brokenDoor struct{ *bench }

func (brokenDoor) Call(context.Context, tools.Origin, tools.Call, func(string)) (tools.Result, error) {
	return tools.Result{}, errors.New("the audit record could not be kept: disk is full")
}

func TestTurnsOfOneSessionWaitForEachOther(t *testing.T) {
	gate := make(chan struct{})
	l := newLab(t, nil, func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
		<-gate
		r := model.Reply{DoneReason: "stop"}
		r.Message.Text = "first"
		return r, nil
	}, say("second"))
	first := make(chan event.End)
	began := make(chan struct{})
	go func() {
		first <- l.agent.Turn(context.Background(), Ask{Text: "one"}, func(e event.Event) {
			if e.Kind == event.TurnStart {
				close(began)
			}
		})
	}()
	<-began
	second := make(chan event.End)
	go func() { second <- l.agent.Turn(context.Background(), Ask{Text: "two"}, func(event.Event) {}) }()
	close(gate)
	if a, b := <-first, <-second; a.Answer != "first" || b.Answer != "second" {
		t.Errorf("%q then %q", a.Answer, b.Answer)
	}
	l.checkPrefix()
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

func TestCutAnswerSaysSo(t *testing.T) {
	l := newLab(t, nil, func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "The end is"})
		r := model.Reply{DoneReason: "length"}
		r.Message.Text = "The end is"
		return r, nil
	})
	l.ask("tell me all")
	if d := cmp.Diff([]string{"answer_cut"}, l.warnings()); d != "" {
		t.Error(d)
	}
}
