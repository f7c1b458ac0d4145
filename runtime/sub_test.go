package runtime

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/tools"
)

// sub has a sub-agent do a task.
func (l *lab) sub(k Task) event.End {
	l.t.Helper()
	l.events = nil
	end := l.agent.Sub(context.Background(), k, func(e event.Event) { l.events = append(l.events, e) })
	l.checkEvents(end)
	return end
}

func TestSubAgentHasItsOwnPromptAndFewerTools(t *testing.T) {
	l := newLab(t, nil, say("hello"), call("exec", `{}`), say("3 lines"), call("exec", `{"path":"x"}`), say("4 lines"), say("bye"))
	l.files.set("SOUL.md", "persona of the parent")
	l.files.set("TOOLS.md", "wc counts lines")
	l.ask("hi")
	if end := l.sub(Task{Run: "7", Text: "count", Context: "log.txt is in notes", Tools: []string{"read", "exec", "read"}}); end.Answer != "3 lines" {
		t.Fatalf("%+v", end)
	}
	first := l.model.requests[1]
	if d := cmp.Diff([]string{"exec", "read"}, names(first.Tools)); d != "" {
		t.Error(d)
	}
	system, task := first.Messages[0].Text, first.Messages[1].Text
	for text, want := range map[string]bool{"As a sub-agent ": true, "wc counts lines": true, "persona": false, "- write": false} {
		if strings.Contains(system, text) != want {
			t.Errorf("%q in the system text: %v", text, !want)
		}
	}
	if want := "count\n\n<context>\nSubagent Context:\nlog.txt is in notes\n</context>"; task != want {
		t.Errorf("the task is %q", task)
	}
	want := []tools.Origin{{Agent: "main", Session: "sub:7", Turn: "t1", Run: "sub", Only: []string{"exec", "read"}}}
	if d := cmp.Diff(want, l.bench.from); d != "" {
		t.Error(d)
	}
	// A file that its prompt can't carry is no news for it; the list is fixed, over a
	// restart too, whatever else is offered by then.
	l.files.set("SOUL.md", "another persona")
	l.agent = New(l.agent.cfg)
	if end := l.sub(Task{Run: "7", Text: "again"}); end.Answer != "4 lines" {
		t.Fatalf("%+v", end)
	}
	if again := l.bench.from[1]; !slices.Equal(again.Only, want[0].Only) {
		t.Errorf("its second task was let %v", again.Only)
	}
	second := l.model.requests[3]
	if second.Messages[0].Text != system || !strings.HasPrefix(asRead(second), asRead(l.model.requests[2])) {
		t.Error("the sub-agent's prefix moved")
	}
	if w := l.warnings(); len(w) != 0 {
		t.Errorf("warnings %v", w)
	}
	for _, s := range l.agent.Status(context.Background()).Sessions {
		if s.ID == "sub:7" && len(s.Stale) != 0 {
			t.Errorf("status calls %v stale", s.Stale)
		}
	}
	// The agent's own session knows nothing of it.
	l.ask("bye?")
	if q := l.model.requests[5]; len(q.Messages) != 4 || !strings.HasPrefix(asRead(q), asRead(l.model.requests[0])) {
		t.Errorf("the main session has %d messages, or another prefix", len(q.Messages))
	}
}

func TestSubAgentIsRefused(t *testing.T) {
	l := newLab(t, nil, say("hello"))
	l.bench.specs = append(l.bench.specs, tools.Spec{Name: "sessions_spawn", Schema: []byte(oneString)})
	if end := l.sub(Task{Run: "1", Text: "x", Tools: []string{"read"}}); end.Status != Done {
		t.Fatalf("%+v", end)
	}
	for name, c := range map[string]struct {
		end        event.End
		code, says string
	}{
		"of a sub-agent":      {l.sub(Task{Run: "2", Parent: "sub:1", Text: "x"}), "sub_depth", "the depth is 1"},
		"without a name":      {l.sub(Task{Text: "x"}), "bad_session", "without a name"},
		"a bad name":          {l.sub(Task{Run: "../x", Text: "x"}), "bad_session", "../x"},
		"without a task":      {l.sub(Task{Run: "2"}), "empty_question", "empty"},
		"a tool nobody has":   {l.sub(Task{Run: "2", Text: "x", Tools: []string{"fly"}}), "sub_tools", `"fly"`},
		"a spawning one":      {l.sub(Task{Run: "2", Text: "x", Tools: []string{"sessions_spawn"}}), "sub_tools", `"sessions_spawn"`},
		"another list":        {l.sub(Task{Run: "1", Text: "x", Tools: []string{"read", "exec"}}), "sub_tools", "fixed at its start: read"},
		"a person's question": {l.do(context.Background(), Ask{Session: "sub:1", Text: "x"}), "sub_session", "only the agent itself"},
		"a forged run":        {l.do(context.Background(), Ask{Run: "sub", Text: "x"}), "sub_session", "only the agent itself"},
	} {
		if c.end.Error == nil || c.end.Error.Code != c.code || !strings.Contains(c.end.Error.Message, c.says) {
			t.Errorf("%s: %+v", name, c.end.Error)
		}
	}
	if len(l.model.requests) != 1 {
		t.Errorf("%d requests reached the model, want 1", len(l.model.requests))
	}
}

// With no list it gets everything but what would start more of its kind, and a
// policy that offers nothing leaves it nothing: the empty list is not "all".
func TestSubAgentWithoutAList(t *testing.T) {
	l := newLab(t, nil, say("a"), call("exec", `{}`), say("b"))
	l.bench.specs = append(l.bench.specs, tools.Spec{Name: "sessions_spawn", Schema: []byte(oneString)})
	l.sub(Task{Run: "1", Text: "x"})
	if d := cmp.Diff([]string{"exec", "read", "write"}, names(l.model.requests[0].Tools)); d != "" {
		t.Error(d)
	}
	l.bench.specs = nil
	l.sub(Task{Run: "2", Text: "x"})
	if len(l.bench.from) != 1 || l.bench.from[0].Only == nil || len(l.bench.from[0].Only) != 0 {
		t.Errorf("origin %+v", l.bench.from)
	}
}

// A call that a model writes as text is judged by the sub-agent's own list.
func TestSubAgentsTextCallOfAToolItLacks(t *testing.T) {
	l := newLab(t, nil, say(`{"name":"exec","arguments":{}}`), say("without it, then"))
	end := l.sub(Task{Run: "1", Text: "x", Tools: []string{"read"}})
	if end.Answer != "without it, then" || len(l.bench.ran) != 0 {
		t.Errorf("%+v, ran %v", end, l.bench.ran)
	}
	last := l.model.requests[1].Messages
	if got := last[len(last)-1].Text; !strings.Contains(got, "no tool exec here. The tools are: read.") {
		t.Errorf("the model reads %q", got)
	}
}

func TestPriorities(t *testing.T) {
	got := map[string]model.Priority{}
	for _, run := range []string{"chat", "cron", "heartbeat", "wake", "announce", "sub"} {
		got[run] = priority(run)
	}
	want := map[string]model.Priority{
		"chat": model.Person, "cron": model.Scheduled, "heartbeat": model.Scheduled, "wake": model.Scheduled,
		"announce": model.Scheduled, "sub": model.Sub,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is shown of minimal mode is what a sub-agent without a list gets.
func TestMinimalViewIsASubAgents(t *testing.T) {
	l := newLab(t, nil, say("a"))
	l.bench.specs = append(l.bench.specs, tools.Spec{Name: "subagents", Schema: []byte(oneString)})
	l.files.set("MEMORY.md", "secret of the parent")
	v, err := l.agent.View(context.Background(), ViewQuery{Mode: "minimal"})
	if err != nil {
		t.Fatal(err)
	}
	l.sub(Task{Run: "1", Text: "x"})
	q := l.model.requests[0]
	array, err := model.ToolArray(q.Tools)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{q.Messages[0].Text, string(array)}, []string{v.System, string(v.Tools)}); d != "" {
		t.Error(d)
	}
	if assembly.ForSub("MEMORY.md") || strings.Contains(v.System, "secret") {
		t.Error("the parent's memory reached the child")
	}
}
