package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/reply"
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

func TestCase092_PromiseWithoutJob(t *testing.T) {
	const sure = "Sure, I'll remind you in 20 minutes."
	l := newLab(t, nil, say(sure), say(sure))
	end := l.ask("remind me in 20 min")
	want := event.End{Status: Done, Answer: sure + reply.PromiseNote}
	if d := cmp.Diff(want, event.End{Status: end.Status, Answer: end.Answer}); d != "" || len(end.Calls) != 0 || end.Usage.Requests != 2 {
		t.Errorf("%s%+v", d, end)
	}
	if last := l.model.requests[1].Messages; last[len(last)-1].Text != reply.PromiseNudge {
		t.Errorf("the model was told %q", last[len(last)-1].Text)
	}
	looked := newLab(t, nil, call("read", `{"path":"a"}`), say(sure), say("I can't: nothing runs after my answer."))
	if end := looked.ask("remind me"); end.Answer != "I can't: nothing runs after my answer." || end.Usage.Requests != 3 {
		t.Errorf("after a call that schedules nothing: %+v", end)
	}
	started := newLab(t, nil, call("exec", `{}`), say("I'll remind you when p1 ends."))
	if end := started.ask("remind me of the build"); end.Usage.Requests != 2 || strings.Contains(end.Answer, "No reminder") {
		t.Errorf("a command whose end wakes: %+v", end)
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
	l := newLab(t, nil, steps...)
	end := l.ask("who am I?")
	if len(l.bench.ran) != 2 || len(end.Calls) != 4 || end.Usage.Requests != 4 {
		t.Fatalf("it ran %d times, %d calls, %d requests", len(l.bench.ran), len(end.Calls), end.Usage.Requests)
	}
	for _, c := range end.Calls[2:] {
		if c.Rule != "loop.repeat" || c.Outcome != "refused" {
			t.Errorf("call: %+v", c)
		}
	}
	if strings.Contains(end.Calls[0].Text, "in a row") || !strings.Contains(end.Calls[1].Text, "number 2 in a row") {
		t.Errorf("no warning at the second: %q", end.Calls[1].Text)
	}
	if end.Status != FailedTurn || end.Error.Code != "repeat" || !strings.Contains(end.Error.Message, "exec") {
		t.Errorf("%s, %+v", end.Status, end.Error)
	}
	l.pairs()
}

// TestEveryKindOfLoopEndsTheTurn covers calls that fail in any way, loops of several
// calls, and what is no loop. Smallest input of the fault: a refused call ran to 24
// requests.
func TestEveryKindOfLoopEndsTheTurn(t *testing.T) {
	n := 0
	does := map[string]func(string) tools.Result{
		"exec":  func(string) tools.Result { return ok("same") },
		"read":  func(string) tools.Result { return ok("a file") },
		"write": func(args string) tools.Result { return ok("wrote " + args) },
		"deny": func(string) tools.Result {
			n++
			r := refused("exec.none")
			r.Text += fmt.Sprint(" question ", n)
			return r
		},
		"bad":        func(string) tools.Result { return tools.Result{Outcome: tools.Invalid, Text: "no such argument"} },
		"sensors":    func(string) tools.Result { n++; return ok(fmt.Sprint(n / 2)) },
		"memory_get": func(string) tools.Result { return ok("a note") },
		"waits":      func(string) tools.Result { return tools.Result{Outcome: tools.OK, Text: "nothing yet", Waited: true} },
		"slow":       func(string) tools.Result { n++; return ok(fmt.Sprintf("x\n[exit 0, %ds, cwd DIR]", n)) },
	}
	one := func(names ...string) func(i int) step {
		return func(i int) step { return call(names[i%len(names)], `{"argv":["x"]}`) }
	}
	for name, c := range map[string]struct {
		play     func(i int) step
		requests int // 24 is the limit: not ended as a loop
		status   string
	}{
		"the same":           {one("exec"), 4, FailedTurn},
		"refused":            {one("deny"), 4, RefusedTurn},
		"invalid":            {one("bad"), 4, FailedTurn},
		"unknown":            {one("nope"), 4, FailedTurn},
		"A-B-A-B":            {one("exec", "read"), 6, FailedTurn},
		"A-B-C":              {one("exec", "read", "bad"), 8, FailedTurn},
		"A-A-B":              {one("exec", "exec", "read"), 5, FailedTurn},
		"a time in it":       {one("slow"), 4, FailedTurn},
		"spaced otherwise":   {func(i int) step { return call("nope", fmt.Sprintf(`{"a":1,%*s"b":2}`, i, "")) }, 4, FailedTurn},
		"a value that moves": {one("sensors"), 24, LimitTurn},
		"a look":             {one("memory_get"), 4, FailedTurn},
		"a poll that waits":  {one("waits"), 24, LimitTurn},
		"work in between": {func(i int) step {
			if i%2 == 0 {
				return call("exec", `{"argv":["make","test"]}`)
			}
			return call("write", fmt.Sprintf(`{"path":"try %d"}`, i))
		}, 24, LimitTurn},
	} {
		t.Run(name, func(t *testing.T) {
			n = 0
			var steps []step
			for i := range 30 {
				steps = append(steps, c.play(i))
			}
			l := newLab(t, func(c *Config) { c.Limits.MaxCalls = 48 }, steps...)
			for tool, do := range does {
				l.bench.does[tool] = do
			}
			end := l.ask("go")
			if end.Usage.Requests != c.requests || end.Status != c.status || end.Error == nil {
				t.Errorf("%d requests, %s %+v, want %d, %s", end.Usage.Requests, end.Status, end.Error, c.requests, c.status)
			}
			if c.status != LimitTurn && end.Error.Code != "repeat" {
				t.Errorf("ended as %+v", end.Error)
			}
			l.pairs()
			l.checkPrefix()
		})
	}
}

// TestSeveralRepeatsInOneReply are refused together: the model reads that before the
// turn can end for it.
func TestSeveralRepeatsInOneReply(t *testing.T) {
	both := call("exec", `{"argv":["a"]}`, "exec", `{"argv":["b"]}`)
	l := newLab(t, nil, both, both, both, say("That is all."))
	if end := l.ask("go"); end.Status != Done || end.Answer != "That is all." || len(l.bench.ran) != 4 {
		t.Errorf("ran %v, %+v", l.bench.ran, end)
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
