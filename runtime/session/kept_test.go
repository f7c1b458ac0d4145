package session

import (
	"testing"

	"hardshell/runtime/message"
)

func TestKept_SettingsOutliveEveryBoundary(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	must(t, s.Keep("think", "high"))
	must(t, s.Keep("model", "qwen3:1.7b"))
	must(t, s.Keep(PlanKey, "[]"))
	must(t, s.Append("t1", user("a"), message.Message{Role: message.Assistant, Text: "b"}))
	must(t, s.Compact(1, user("summary")))
	look := func(when, think, model, plan string) {
		t.Helper()
		for _, at := range []*Session{s, open(t, st, "main")} {
			diff(t, when, []string{at.Kept("think"), at.Kept("model"), at.Kept(PlanKey)}, []string{think, model, plan})
		}
	}
	look("compacted", "high", "qwen3:1.7b", "[]")
	must(t, s.Append("t2", calls("c1"), result("c1")))
	must(t, s.Shorten(map[int]string{len(s.Messages()) - 1: "short"}))
	look("shortened", "high", "qwen3:1.7b", "[]")
	must(t, s.Reset())
	look("reset", "high", "qwen3:1.7b", "")
	must(t, s.Keep("think", ""))
	look("taken back", "", "qwen3:1.7b", "")
}

func TestLastDelivered(t *testing.T) {
	s := openChecked(t, newStore(t), "main")
	if _, ok := s.LastDelivered("think"); ok {
		t.Error("told before anything was said")
	}
	_, err := s.Delivered("think", "high")
	must(t, err)
	must(t, s.Append("t1", user("a")))
	if v, ok := s.LastDelivered("think"); !ok || v != "high" {
		t.Errorf("%q, %v", v, ok)
	}
	must(t, s.Reset())
	if _, ok := s.LastDelivered("think"); ok {
		t.Error("a boundary forgets what was told")
	}
}

func TestChanged(t *testing.T) {
	s := openChecked(t, newStore(t), "main")
	look := func(now, before string, changed bool) {
		t.Helper()
		was, got, err := s.Changed("mode", now)
		must(t, err)
		if was != before || got != changed {
			t.Errorf("%s: %q, %v; want %q, %v", now, was, got, before, changed)
		}
		must(t, s.Append(s.NextTurn(), user("a")))
	}
	look("15W", "", false) // where things stand
	look("15W", "15W", false)
	look("MAXN", "15W", true)
	must(t, s.Reset())
	look("15W", "", false)
}
