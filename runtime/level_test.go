package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// adjust changes the main conversation.
func (l *lab) adjust(ch Change) SessionSettings {
	l.t.Helper()
	now, err := l.agent.Adjust(l.t.Context(), ch)
	if err != nil {
		l.t.Fatal(err)
	}
	return now
}

// thinker makes the lab's model one that thinks natively.
func (l *lab) thinker(family string) {
	l.cat.info.Family, l.cat.info.Capabilities = family, []string{"tools", "thinking"}
}

// lastUser is what the last request ends in of the person.
func (l *lab) lastUser() string {
	msgs := l.model.requests[len(l.model.requests)-1].Messages
	for i := len(msgs) - 1; ; i-- {
		if msgs[i].Role == message.User {
			return msgs[i].Text
		}
	}
}

// thinks answers with thinking, piece by piece, and then the text.
func thinks(thought []string, text string) step {
	return func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		for _, p := range thought {
			chunk(model.Chunk{Thinking: p})
		}
		chunk(model.Chunk{Text: text})
		var r model.Reply
		r.Message.Text, r.Message.Thinking, r.DoneReason = text, strings.Join(thought, ""), "stop"
		return r, nil
	}
}

func TestThinkLevel_EntersAsAFactAndMovesNoByte(t *testing.T) {
	l := newLab(t, nil, say("a"), say("b"), say("c"), say("d"))
	l.thinker("qwen3")
	l.ask("one")
	now := l.adjust(Change{Think: "high"})
	want := SessionSettings{Session: session.Main, Model: "qwen3:4b", Think: "high", Reasoning: off, Notes: []string{"qwen3:4b knows on and off only: high counts as on"}}
	if d := cmp.Diff(want, now); d != "" {
		t.Error(d)
	}
	l.ask("two")
	if got := l.lastUser(); !strings.Contains(got, "- thinking: high, until now off\n") {
		t.Errorf("the level is not told: %q", got)
	}
	l.ask("three")
	if got := l.lastUser(); got != "three" {
		t.Errorf("told again: %q", got)
	}
	var asked []model.Think
	for _, q := range l.model.requests {
		asked = append(asked, q.Think)
	}
	if d := cmp.Diff([]model.Think{model.ThinkOff, model.ThinkOn, model.ThinkOn}, asked); d != "" {
		t.Error(d)
	}
	l.checkPrefix()
	// The session boundary takes the level into the prompt, and it is no news then.
	if err := l.agent.Reset(session.Main); err != nil {
		t.Fatal(err)
	}
	l.ask("four")
	if got := l.lastUser(); got != "four" {
		t.Errorf("told although the prompt says it: %q", got)
	}
	if p, _ := mustSession(l, session.Main).Frozen(); !strings.Contains(p.System, "thinking=high") {
		t.Error("the new prompt does not name the level")
	}
}

// format is what the Reasoning section asks for.
const format = "Think inside <think></think>, briefly; then give the answer inside <final></final>."

func TestThinkLevel_ModelWithoutThinkingIsAskedForTags(t *testing.T) {
	l := newLab(t, nil, say("a"), say("b"), say("c"), say("d"))
	l.ask("one")
	l.adjust(Change{Think: "low"})
	l.ask("two")
	if got := l.lastUser(); !strings.Contains(got, "- thinking: low, until now off\n"+format+"\n") {
		t.Errorf("the format is not asked for: %q", got)
	}
	l.adjust(Change{Think: "default"})
	l.ask("three")
	if got := l.lastUser(); !strings.Contains(got, "- thinking: off, until now low\nAnswer at once from now on, without <think> and <final>.\n") {
		t.Errorf("the format is not taken back: %q", got)
	}
	l.checkPrefix()
	for i, want := range []bool{false, true, false} {
		if q := l.model.requests[i]; q.Tagged != want || q.Think != "" {
			t.Errorf("request %d: tagged %v, think %q", i+1, q.Tagged, q.Think)
		}
	}
	l.adjust(Change{Think: "high"})
	if err := l.agent.Reset(session.Main); err != nil {
		t.Fatal(err)
	}
	l.ask("four")
	if p, _ := mustSession(l, session.Main).Frozen(); !strings.Contains(p.System, format) || l.lastUser() != "four" {
		t.Errorf("the new prompt does not ask for the format, or it is told twice: %q", l.lastUser())
	}
}

func TestThinkLevel_AtTheFrontIsABreakThatTheLedgerKnows(t *testing.T) {
	l := newLab(t, nil, say("a"), say("b"))
	l.thinker("gptoss")
	l.ask("one")
	now := l.adjust(Change{Think: "off"})
	if d := cmp.Diff([]string{"qwen3:4b always thinks: off counts as low"}, now.Notes); d != "" {
		t.Error(d)
	}
	now = l.adjust(Change{Think: "high"})
	if d := cmp.Diff([]string{"the level stands at the front of its prompt, so the server reads the conversation anew once"}, now.Notes); d != "" {
		t.Error(d)
	}
	l.ask("two")
	rec, err := l.agent.Record("", "last")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(rec.Report), `"part":"thinking level"`) {
		t.Errorf("the break is not named: %s", rec.Report)
	}
}

func TestReasoning_WhatAPersonSees(t *testing.T) {
	for show, want := range map[string][]event.Chunk{
		"off":    {{Phase: "thinking"}, {Text: "Low."}},
		"on":     {{Phase: "thinking"}, {Thinking: "check pin"}, {Text: "Low."}},
		"stream": {{Thinking: "check "}, {Thinking: "pin"}, {Text: "Low."}},
	} {
		l := newLab(t, func(c *Config) { c.Reasoning = show }, thinks([]string{"check ", "pin"}, "Low."))
		l.ask("J7?")
		var got []event.Chunk
		for _, e := range l.events {
			if e.Chunk != nil {
				got = append(got, *e.Chunk)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", show, d)
		}
	}
}

func TestAdjust_ModelByAlias(t *testing.T) {
	l := newLab(t, func(c *Config) { c.Aliases = []assembly.Alias{{Name: "fast", Model: "qwen3:1.7b"}} }, say("a"), say("b"), say("c"))
	l.ask("one")
	now := l.adjust(Change{Model: "fast", Reasoning: "on"})
	want := SessionSettings{Session: session.Main, Model: "qwen3:1.7b", Think: off, Reasoning: "on", Notes: []string{"the server reads the conversation anew once, since its cache belongs to a model"}}
	if d := cmp.Diff(want, now); d != "" {
		t.Error(d)
	}
	l.ask("two")
	if q := l.model.requests[1]; q.Model != "qwen3:1.7b" || !strings.Contains(l.lastUser(), "- model: qwen3:1.7b, until now qwen3:4b\n") {
		t.Errorf("%s: %q", q.Model, l.lastUser())
	}
	if d := cmp.Diff([]string{"model_changed"}, l.warnings()); d != "" {
		t.Error("the person is not told:", d)
	}
	// Another conversation keeps its model; a new process keeps this one's.
	l.do(t.Context(), Ask{Text: "hi", Session: "other"})
	if q := l.model.requests[2]; q.Model != "qwen3:4b" {
		t.Errorf("the other conversation has %s", q.Model)
	}
	l.agent = New(l.agent.cfg)
	if now := l.adjust(Change{}); now.Model != "qwen3:1.7b" || now.Reasoning != "on" || len(now.Notes) != 0 {
		t.Errorf("not kept: %+v", now)
	}
	if now := l.adjust(Change{Model: "default", Reasoning: "default"}); now.Model != "qwen3:4b" || now.Reasoning != off {
		t.Errorf("not taken back: %+v", now)
	}
}

func TestAdjust_RefusesAndChangesNothing(t *testing.T) {
	l := newLab(t, nil)
	l.cat.info.Remote = "ollama.com"
	for _, c := range []struct {
		ch   Change
		code string
	}{
		{Change{Think: "ultra"}, "usage"},
		{Change{Reasoning: "loud"}, "usage"},
		{Change{Session: "../x", Think: "low"}, "bad_session"},
		{Change{Model: "cloud:1t", Think: "high"}, "remote_model"},
	} {
		_, err := l.agent.Adjust(t.Context(), c.ch)
		if p := event.ProblemOf(err); p.Code != c.code || p.Hint == "" {
			t.Errorf("%+v: %+v", c.ch, p)
		}
	}
	l.cat.info.Remote, l.cat.err = "", &model.Error{Code: model.ModelMissing, Message: "no such model", Hint: "pull it"}
	if _, err := l.agent.Adjust(t.Context(), Change{Model: "nope", Think: "high"}); event.ProblemOf(err).Code != model.ModelMissing {
		t.Error(err)
	}
	l.cat.err = nil
	if now := l.adjust(Change{}); now.Think != off || now.Model != "qwen3:4b" {
		t.Errorf("something was changed: %+v", now)
	}
}

// TestAdjust_AModelThatIsGone holds that a conversation whose own model was taken
// off the server says how to go on.
func TestAdjust_AModelThatIsGone(t *testing.T) {
	l := newLab(t, nil)
	l.adjust(Change{Model: "qwen3:1.7b"})
	l.agent = New(l.agent.cfg)
	l.cat.err = &model.Error{Code: model.ModelMissing, Message: "qwen3:1.7b is not there", Hint: "agent model pull qwen3:1.7b"}
	if end := l.ask("hi"); !strings.Contains(end.Error.Hint, "/model default") {
		t.Errorf("%+v", end.Error)
	}
}
