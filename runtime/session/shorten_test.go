package session

import (
	"errors"
	"slices"
	"testing"

	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// TestShorten_KeepsAllButTheText: only the named results get another text. Calls,
// prefix, what was told and what is kept stay, here and for the next process.
func TestShorten_KeepsAllButTheText(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	must(t, s.Freeze(prefix("one")))
	for _, f := range []fact{{"model", "qwen3"}, {"board", "orin"}, {"file:AGENTS.md", "h1"}} {
		_, err := s.Delivered(f.Key, f.Value)
		must(t, err)
	}
	want := []message.Message{user("look"), calls("c1", "c2"), result("c1"), result("c2")}
	must(t, s.Append("t1", want...))
	must(t, s.Shorten(map[int]string{3: "cut"}))
	want[3].Text = "cut"
	for when, at := range map[string]*Session{"at once": s, "after a restart": open(t, st, "main")} {
		diff(t, when, at.Messages(), want)
		got, ok := at.Frozen()
		diff(t, when, []any{got, ok}, []any{prefix("one"), true})
		diff(t, when, at.st.delivered, map[string]string{"model": "qwen3", "board": "orin", "file:AGENTS.md": "h1"})
		diff(t, when, at.NextTurn(), "t2")
	}
	diff(t, "the turn is open as before", open(t, st, "main").Repairs(), []string{"turn t1 was interrupted"})
	entries, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	var kinds, facts []string
	for _, e := range entries[slices.IndexFunc(entries, func(e store.Entry) bool { return e.Kind == store.KindCompact }):] {
		kinds = append(kinds, e.Kind+" "+e.Turn)
		if e.Kind == store.KindDelivered {
			facts = append(facts, string(e.Data))
		}
	}
	diff(t, "stored", kinds, []string{"compact t1", "prefix t1", "told t1", "told t1", "told t1"})
	diff(t, "in one order", facts, []string{`{"key":"board","value":"orin"}`, `{"key":"file:AGENTS.md","value":"h1"}`, `{"key":"model","value":"qwen3"}`})
}

// TestShorten_RefusesWhatWasSaid: what a person or the model said is never rewritten,
// and a refusal leaves nothing half done.
func TestShorten_RefusesWhatWasSaid(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	said := []message.Message{user("look"), calls("c1"), result("c1")}
	must(t, s.Append("t1", said...))
	for i, want := range map[int]string{
		0:  "message 0 of 3 is no tool result: only results can be shortened",
		1:  "message 1 of 3 is no tool result: only results can be shortened",
		3:  "message 3 of 3 is no tool result: only results can be shortened",
		-1: "message -1 of 3 is no tool result: only results can be shortened",
	} {
		if err := s.Shorten(map[int]string{i: "x", 2: "y"}); err == nil || err.Error() != want {
			t.Errorf("message %d: %v, want %q", i, err, want)
		}
	}
	full := &failing{Sessions: st, err: &store.Error{Kind: store.Full}}
	s.store = full
	if err := s.Shorten(map[int]string{2: "y"}); !errors.Is(err, full.err) {
		t.Errorf("on a full disk: %v", err)
	}
	s.store = st
	must(t, s.Shorten(nil))
	diff(t, "messages", s.Messages(), said)
	entries, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	diff(t, "entries", len(entries), len(said))
}
