package policy

import (
	"strings"
	"testing"
)

// lamp asks to switch a lamp: a kind as docs/develop.md says to add one. It stands in
// one file; nothing else of the package knows it.
type lamp struct {
	Line string `json:"line"`
	On   bool   `json:"on"`
}

var _ Kind = (*lamp)(nil)

func (*lamp) Name() string { return "lamp" }

func (l *lamp) Subject() string { return "switch the lamp " + l.Line }

func (*lamp) Command() *Exec { return nil }

func (*lamp) Binds() Binding { return BindArguments }

func (*lamp) Standing() bool { return true }

func (l *lamp) fields() any {
	return struct {
		Lamp *lamp `json:"lamp"`
	}{l}
}

// judge lets a lamp be switched while a person is there.
func (l *lamp) judge(ev *evaluation) {
	if !ev.facts.Attended {
		ev.deny("builtin.lamp", "nobody would see it", "ask for it when a person is there")
		return
	}
	ev.add(match{rule: "builtin.lamp", verdict: Allow, why: "a person sees it", reason: "switches a lamp"})
}

// TestKindRecipe judges, shows, redacts and binds an action of the new kind.
func TestKindRecipe(t *testing.T) {
	lab, err := Parse("policy.toml", []byte("version = 1\n[tools]\nallow = [\"*\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := Action{Tool: "lamp", Kind: &lamp{Line: "desk-secret", On: true}}
	for attended, want := range map[bool]Verdict{true: Allow, false: Deny} {
		if d := lab.Decide(a, Facts{Attended: attended, Run: "chat"}); d.Verdict != want || d.Rule != "builtin.lamp" {
			t.Errorf("attended %v: %+v, want %s by builtin.lamp", attended, d, want)
		}
	}
	if got := a.Subject(); got != "switch the lamp desk-secret" {
		t.Errorf("it is shown as %q", got)
	}
	off := Action{Tool: "lamp", Kind: &lamp{Line: "desk-secret"}}
	if a.Digest() == off.Digest() {
		t.Error("on and off have one digest")
	}
	hidden := a.Redacted(func(s string) string { return strings.ReplaceAll(s, "secret", "…") })
	if got := hidden.Subject(); got != "switch the lamp desk-…" {
		t.Errorf("redacted it is shown as %q", got)
	}
}
