package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
)

// reread is a server that reads the whole prompt anew each time and says so only
// by how long it takes.
func reread(text string) step {
	return func(_ context.Context, q model.Request, _ func(model.Chunk)) (model.Reply, error) {
		n := len(asRead(q)) / 4
		r := model.Reply{DoneReason: "stop"}
		r.Message.Text = text
		r.Usage = model.Usage{Prompt: n, Output: 1, PromptEval: time.Duration(n) * 5 * time.Millisecond}
		return r, nil
	}
}

// cached is a server that holds the whole prompt from before.
func cached(text string) step {
	return func(_ context.Context, q model.Request, _ func(model.Chunk)) (model.Reply, error) {
		r := model.Reply{DoneReason: "stop"}
		r.Message.Text = text
		r.Usage = model.Usage{Prompt: len(asRead(q)) / 4, Output: 1, PromptEval: 40 * time.Millisecond}
		return r, nil
	}
}

func TestCase034_LowReuseIsToldOnce(t *testing.T) {
	l := newLab(t, nil, reread("a"), reread("b"), reread("c"), reread("d"))
	var told []int
	for i := range 4 {
		l.ask("hello again")
		for _, e := range l.events {
			if e.Kind == event.Warning && e.Notice.Code == "low_reuse" {
				told = append(told, i+1)
				if !strings.Contains(e.Notice.Message, "qwen3") {
					t.Errorf("the family is not named: %s", e.Notice.Message)
				}
			}
		}
	}
	if d := cmp.Diff([]int{3}, told); d != "" {
		t.Error("told in turns", d)
	}
	// A server that another process has warmed answers at once although this
	// process has never asked it: nobody waits, so there is nothing to warn of.
	quick := newLab(t, nil, cached("a"), cached("b"), cached("c"), cached("d"))
	for range 4 {
		quick.ask("hello again")
		if w := quick.warnings(); len(w) != 0 {
			t.Errorf("warned of a cache that works: %v", w)
		}
	}
	good := newLab(t, nil, say("a"), say("b"), say("c"), say("d"))
	for range 4 {
		good.ask("hello again")
		if w := good.warnings(); len(w) != 0 {
			t.Errorf("warned without cause: %v", w)
		}
	}
}

func TestCase058_WhatIsShownIsWhatIsSent(t *testing.T) {
	l := newLab(t, nil, say("hello"))
	before, err := l.agent.View(t.Context(), ViewQuery{})
	if err != nil {
		t.Fatal(err)
	}
	l.ask("hi")
	l.files.set("AGENTS.md", "# Other\n")
	frozen, err := l.agent.View(t.Context(), ViewQuery{Session: "main"})
	if err != nil {
		t.Fatal(err)
	}
	sent := l.model.requests[0]
	if before.System != sent.Messages[0].Text || frozen.System != sent.Messages[0].Text {
		t.Error("shown and sent differ")
	}
	tools, err := model.ToolArray(sent.Tools)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(tools), string(frozen.Tools)); d != "" {
		t.Error(d)
	}
	for _, p := range frozen.Report.Parts {
		if len(p.Hash) != 64 || p.Used == 0 && !p.Cut {
			t.Errorf("part %+v", p)
		}
	}
	total, commas := 0, 1 // the array's brackets are one more than its commas
	for _, p := range before.Report.Parts {
		if strings.HasPrefix(p.Name, "tool ") {
			total, commas = total+p.Used, commas+1
		}
	}
	if d := cmp.Diff(len(tools), total+commas); d != "" {
		t.Errorf("the tools' parts are not what is sent: %s", d)
	}
	now, err := l.agent.View(t.Context(), ViewQuery{})
	if err != nil || !strings.Contains(now.System, "# Other") {
		t.Errorf("today's prompt does not show today's file: %v", err)
	}
	if frozen.History.Bytes != len("hi")+len("hello") {
		t.Errorf("history of %d bytes", frozen.History.Bytes)
	}
}

func TestEveryRunKindShowsOnePrefix(t *testing.T) {
	l := newLab(t, nil)
	first, err := l.agent.View(t.Context(), ViewQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for run := range runs {
		v, err := l.agent.View(t.Context(), ViewQuery{Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if v.System != first.System || string(v.Tools) != string(first.Tools) {
			t.Errorf("run %q has a prefix of its own", run)
		}
		if (v.TurnContext == "") != (run == "" || run == "chat") {
			t.Errorf("run %q has the turn context %q", run, v.TurnContext)
		}
	}
	for mode, most := range map[string]int{"none": 200, "minimal": 3000} {
		v, err := l.agent.View(t.Context(), ViewQuery{Mode: mode})
		if err != nil || v.System == "" || len(v.System) > most {
			t.Errorf("mode %s: %d bytes, %v", mode, len(v.System), err)
		}
	}
	if _, err := l.agent.View(t.Context(), ViewQuery{Mode: "fullest"}); err == nil {
		t.Error("an unknown mode was shown")
	}
}

func TestViewWithoutAServer(t *testing.T) {
	l := newLab(t, nil)
	l.cat.err = errors.New("not reachable")
	v, err := l.agent.View(t.Context(), ViewQuery{})
	if err != nil || v.System == "" || len(v.Notices) != 1 || v.Notices[0].Code != "no_model" {
		t.Errorf("%+v, %v", v.Notices, err)
	}
	var p *event.Problem
	if _, err := l.agent.View(t.Context(), ViewQuery{Session: "main"}); !errors.As(err, &p) || p.Code != "no_prompt" {
		t.Errorf("a session without a prompt: %v", err)
	}
}

func TestCase200_WhatATurnCost(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["uname"]}`), say("arm64"))
	end := l.ask("what machine?")
	l.agent = New(l.agent.cfg) // another process, later: all it has is the store
	l.cat.err = errors.New("no server")
	rec, err := l.agent.Record("", "last")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(end.Calls, rec.Calls); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(end.Usage, rec.Usage); d != "" {
		t.Error(d)
	}
	var rep Remarks
	if err := json.Unmarshal(rec.Report, &rep); err != nil || rep.Window != 8192 || rep.Model != "qwen3:4b" || len(rep.Parts) == 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	var breaks []int
	for _, r := range rep.Requests {
		breaks = append(breaks, r.Break)
		if r.Common > r.Bytes || r.Prompt == 0 || r.Reused != nil {
			t.Errorf("%+v", r)
		}
	}
	if d := cmp.Diff([]int{-1, -1}, breaks); d != "" {
		t.Error(d)
	}
	if _, err := l.agent.Record("main", "t9"); err == nil || !strings.Contains(err.Error(), "t9") {
		t.Error(err)
	}
}

func TestStatus(t *testing.T) {
	l := newLab(t, nil, say("hello"))
	if st := l.agent.Status(t.Context()); st.Model != "qwen3:4b" || st.Window != 0 || st.Last != nil {
		t.Errorf("before the first turn: %+v", st)
	}
	l.ask("hi")
	st := l.agent.Status(t.Context())
	if st.Window != 8192 || st.Last == nil || st.Last.Requests != 1 || st.Sessions[0].LastTurn != "t1" || st.Sessions[0].Messages != 2 {
		t.Errorf("after it: %+v", st)
	}
}
