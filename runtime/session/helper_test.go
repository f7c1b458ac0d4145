package session

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

var t0 = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

func openStore(t fataler, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(dir, store.Options{NoSync: true, Now: func() time.Time { return t0 }})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	return st
}

// newStore is the sessions of a store whose audit and file are checked when the test ends.
func newStore(t *testing.T) *store.Sessions {
	t.Helper()
	st := openStore(t, t.TempDir())
	t.Cleanup(func() {
		if rep, err := st.Audit.Verify(); err != nil || !rep.OK() {
			t.Errorf("the audit is not whole: %v %+v", err, rep.Problems)
		}
		if err := st.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return st.Sessions
}

func open(t fataler, st EntryStore, id string) *Session {
	t.Helper()
	s, err := Open(st, id)
	if err != nil {
		t.Fatalf("open session %s: %v", id, err)
	}
	return s
}

// openChecked opens a session and, when the test ends, proves that replay gives
// the very state that it has then.
func openChecked(t *testing.T, st EntryStore, id string) *Session {
	t.Helper()
	s := open(t, st, id)
	t.Cleanup(func() { checkReplay(t, st, s) })
	return s
}

func checkReplay(t fataler, st EntryStore, s *Session) {
	t.Helper()
	again := open(t, st, s.id)
	opts := []cmp.Option{cmp.AllowUnexported(state{}), cmpopts.EquateEmpty()}
	if reflect.DeepEqual(s.st, again.st) && s.last == again.last {
		return // the quick way to the same word
	}
	if d := cmp.Diff(s.st, again.st, opts...); d != "" {
		t.Errorf("replay gives another state (-live +replayed):\n%s", d)
	}
	if s.last != again.last {
		t.Errorf("replay ends at entry %d, the session at %d", again.last, s.last)
	}
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func diff(t fataler, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return // the quick way to the same word
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func user(text string) message.Message { return message.Message{Role: message.User, Text: text} }

func calls(ids ...string) message.Message {
	m := message.Message{Role: message.Assistant}
	for _, id := range ids {
		m.Calls = append(m.Calls, message.Call{ID: id, Name: "exec", Args: json.RawMessage(`{ "argv": ["echo", "<` + id + `>"] }`)})
	}
	return m
}

func result(id string) message.Message {
	return message.Message{Role: message.Tool, Text: "exit 0 of " + id, CallID: id, ToolName: "exec"}
}

func lost(id string) message.Message {
	return message.Message{Role: message.Tool, Text: interruptedText, CallID: id, ToolName: "exec"}
}

func prefix(system string) Prefix {
	return Prefix{
		System: system,
		Offers: []message.Offer{{Name: "exec", Description: "run <argv>", Schema: json.RawMessage("{\"type\": \"object\",\n \"title\":\"a\\u003cb\"}")}},
		Files:  []FrozenFile{{Name: "AGENTS.md", Hash: "ab12"}},
		Model:  "qwen3:4b", NumCtx: 8192, Created: t0,
		Report: assembly.Report{Parts: []assembly.Part{{Name: "identity", Used: 10, Stable: true}}},
	}
}
