package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime/session"
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

func TestChangedFiles(t *testing.T) {
	frozen := []session.FrozenFile{{Name: "AGENTS.md", Hash: "aa"}, {Name: "GONE.md", Hash: "bb"}, {Name: "SOUL.md", Hash: "missing"}}
	now := []assembly.File{
		{Name: "AGENTS.md", Data: []byte("x")},
		{Name: "SOUL.md", Missing: true},
		{Name: "USER.md", Problem: "no right to"},
		{Name: "heartbeat.md", Data: []byte("changes as it likes")},
	}
	want := []assembly.Changed{
		{Name: "AGENTS.md", Frozen: "aa", Now: fileHash(now[0])},
		{Name: "USER.md", Frozen: "missing", Now: "unreadable"},
		{Name: "GONE.md", Frozen: "bb", Now: "missing"},
	}
	if d := cmp.Diff(want, changed(frozen, now)); d != "" {
		t.Error(d)
	}
}
