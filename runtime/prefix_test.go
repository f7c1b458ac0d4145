package runtime

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/tools"
)

func TestAnotherFolderBeginsAnew(t *testing.T) {
	l := newLab(t, nil, say("one"), say("two"))
	l.ask("first")
	cfg := l.agent.cfg
	cfg.Dir = "/other"
	l.agent = New(cfg)
	l.ask("second")
	if d := cmp.Diff([]string{"workspace_changed"}, l.warnings()); d != "" {
		t.Error(d)
	}
	q := l.model.requests[1]
	if len(q.Messages) != 2 || !strings.Contains(q.Messages[0].Text, "/other") {
		t.Errorf("%d messages, system %q", len(q.Messages), q.Messages[0].Text)
	}
	if _, err := l.agent.Record("main", "t1"); err != nil {
		t.Errorf("the old conversation is off the record: %v", err)
	}
}

func TestAnotherBoardOrModelKeepsTheHistory(t *testing.T) {
	for code, change := range map[string]func(*Config){
		"board_changed": func(c *Config) { c.Host.Board = "Jetson Orin Nano" },
		"model_changed": func(c *Config) { c.ModelName = "llama3.2:3b" },
	} {
		l := newLab(t, nil, say("one"), say("two"), say("three"))
		l.ask("first")
		cfg := l.agent.cfg
		change(&cfg)
		l.agent = New(cfg)
		l.ask("second")
		if d := cmp.Diff([]string{code}, l.warnings()); d != "" {
			t.Error(d)
		}
		if n := len(l.model.requests[1].Messages); n != 4 {
			t.Errorf("%s: %d messages", code, n)
		}
		l.ask("third")
		if w := l.warnings(); len(w) != 0 {
			t.Errorf("%s is told again: %v", code, w)
		}
	}
}

// hashOf is the sha-256 of the first workspace file, as a person reads it.
func hashOf(l *lab) string { return fmt.Sprintf("%x", sha256.Sum256((*l.files)[0].Data)) }

func TestCase056_AnEditedFileEntersWithTheNextSession(t *testing.T) {
	l := newLab(t, nil, say("one"), say("two"), say("three"))
	l.ask("first")
	was := hashOf(l)
	l.files.set("AGENTS.md", "# Lab\nBe brief.\nmarker-55\n")
	now := hashOf(l)
	if end := l.do(context.Background(), Ask{Session: "session:new", Text: "hi"}); end.Status != Done {
		t.Fatalf("%+v", end)
	}
	if q := l.model.requests[1]; !strings.Contains(q.Messages[0].Text, "marker-55") {
		t.Error("the new session's prompt lacks the edit")
	}
	stale := map[string][]assembly.Changed{}
	for _, s := range l.agent.Status(context.Background()).Sessions {
		stale[s.ID] = s.Stale
	}
	want := map[string][]assembly.Changed{"main": {{Name: "AGENTS.md", Frozen: was, Now: now}}, "session:new": {}}
	if d := cmp.Diff(want, stale); d != "" {
		t.Error(d)
	}
	l.ask("second")
	if q := l.model.requests[2]; strings.Contains(q.Messages[0].Text, "marker-55") || q.Messages[0].Text != l.model.requests[0].Messages[0].Text {
		t.Error("the old session's prompt moved")
	}
}

// Whatever turns follow each other in a session, of every run kind, with calls and
// with files that change under it, each request begins with the one before.
func TestEveryHistoryKeepsThePrefix(t *testing.T) {
	l := newLab(t, nil)
	l.bench.does["write"] = func(args string) tools.Result {
		l.files.set("MEMORY.md", args)
		return ok("written")
	}
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		id := fmt.Sprint("session:", n)
		l.model.requests, l.model.steps = nil, nil
		for range rapid.IntRange(1, 4).Draw(t, "turns") {
			for range rapid.IntRange(0, 2).Draw(t, "calls") {
				tool := rapid.SampledFrom([]string{"exec", "write", "nobody"}).Draw(t, "tool")
				l.model.steps = append(l.model.steps, call(tool, fmt.Sprintf(`{"path":%q}`, rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "path"))))
			}
			l.model.steps = append(l.model.steps, say("It is so: "+rapid.StringMatching(`[a-zA-Z ]{1,40}`).Draw(t, "answer")))
			if rapid.Bool().Draw(t, "edited") {
				l.files.set("AGENTS.md", rapid.StringN(0, 60, -1).Draw(t, "rules"))
				l.files.set("HEARTBEAT.md", rapid.StringN(0, 60, -1).Draw(t, "notes"))
			}
			text := "say: " + strings.ReplaceAll(rapid.StringN(0, 40, -1).Draw(t, "text"), "\x00", "")
			run := rapid.SampledFrom([]string{"chat", "cron", "heartbeat", "announce"}).Draw(t, "run")
			l.agent.Turn(context.Background(), Ask{Session: id, Text: text, Run: run}, func(event.Event) {})
		}
		for i := 1; i < len(l.model.requests); i++ {
			if before, now := asRead(l.model.requests[i-1]), asRead(l.model.requests[i]); !strings.HasPrefix(now, before) {
				t.Fatalf("request %d does not begin with the one before:\n%s\n---\n%s", i+1, before, now)
			}
		}
		if len(l.model.requests) == 0 {
			t.Fatal("nothing was asked")
		}
	})
}
