package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

func TestMessagesAndPrefixSurviveByteForByte(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	if _, ok := s.Frozen(); ok {
		t.Fatal("a new session is frozen")
	}
	want := prefix("You are <b>an</b> agent.\u2028")
	must(t, s.Freeze(want))
	msgs := []message.Message{
		user("what is up? <&>\u2028"),
		{
			Role: message.Assistant, Text: "let me look", Thinking: "hm",
			Calls: []message.Call{
				{ID: "c1", Name: "exec", Args: json.RawMessage("{ \"argv\":\n[\"a<b\", \"\\u003c\"] }")},
				{ID: "c2", Name: "read", Args: json.RawMessage(`{"path": `)}, // garbled by the model
			},
		},
		result("c1"), result("c2"),
		{Role: message.Assistant, Text: "it is", Cut: "stalled"},
	}
	must(t, s.Append("t1", msgs...))
	for _, at := range []*Session{s, open(t, st, "main")} {
		diff(t, "messages", at.Messages(), msgs)
		got, ok := at.Frozen()
		if !ok {
			t.Fatal("not frozen")
		}
		diff(t, "prefix", got, want)
	}
}

// TestEveryFieldOfAMessageIsStored fills each field, so that one that joins
// package message later can't be forgotten.
func TestEveryFieldOfAMessageIsStored(t *testing.T) {
	var m message.Message
	fill(t, reflect.ValueOf(&m).Elem())
	var p Prefix
	fill(t, reflect.ValueOf(&p).Elem())
	p.Created = t0
	for _, v := range []struct{ in, out any }{{m, roundTrip(t, toWire(m)).message()}, {p, roundTrip(t, toWirePrefix(p)).prefix()}} {
		diff(t, fmt.Sprintf("%T", v.in), v.out, v.in)
	}
}

func roundTrip[W any](t *testing.T, w W) W {
	t.Helper()
	b, err := encode(w)
	must(t, err)
	var out W
	must(t, json.Unmarshal(b, &out))
	return out
}

// fill gives every field a value that is not its zero.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"a": "<"}`))
	case v.Type() == reflect.TypeOf(t0):
		v.Set(reflect.ValueOf(t0))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case v.Kind() == reflect.String:
		v.SetString("x<y>")
	case v.CanInt():
		v.SetInt(7)
	case v.CanFloat():
		v.SetFloat(0.5)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("teach fill about %s", v.Type())
	}
}

func TestResetIsABoundary(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	must(t, s.Freeze(prefix("one")))
	id := s.NextTurn()
	_, err := s.Delivered("model", "qwen3")
	must(t, err)
	must(t, s.Append(id, user("hello"), message.Message{Role: message.Assistant, Text: "hi"}))
	must(t, s.EndTurn(TurnRecord{ID: id, Started: t0, Answer: "hi", Status: "done"}))
	must(t, s.Reset())
	diff(t, "messages", s.Messages(), []message.Message{})
	if _, ok := s.Frozen(); ok {
		t.Error("the prefix outlived the reset")
	}
	if told, err := s.Delivered("model", "qwen3"); told || err != nil {
		t.Errorf("what was told before a reset still counts: %v %v", told, err)
	}
	diff(t, "next turn", s.NextTurn(), "t2")
	diff(t, "last turn", s.LastTurn(), "t1")
	r, ok, err := s.Turn("t1")
	if err != nil || !ok || r.Answer != "hi" {
		t.Errorf("turn t1 is not readable after the reset: %+v %v %v", r, ok, err)
	}
	entries, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	var kinds []string
	for _, e := range entries {
		kinds = append(kinds, e.Kind)
	}
	diff(t, "entries", kinds, []string{"prefix", "told", "message", "message", "turn", "reset"})
	again := open(t, st, "main")
	diff(t, "after a restart", []any{again.NextTurn(), again.Repairs()}, []any{"t2", []string(nil)})
}

func TestFactsAreToldOnce(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	ask := func(s *Session, value string, want bool) {
		t.Helper()
		told, err := s.Delivered("file:AGENTS.md", value)
		if err != nil || told != want {
			t.Errorf("told %q: %v %v, want %v", value, told, err, want)
		}
	}
	ask(s, "h1", false)
	ask(s, "h1", false) // not stored yet
	ask(open(t, st, "main"), "h1", false)
	must(t, s.Append("t1", user("hi")))
	ask(s, "h1", true)
	ask(open(t, st, "main"), "h1", true)
	ask(s, "h2", false)
	must(t, s.Append("t2", user("again")))
	ask(s, "h2", true)
	ask(s, "h1", false) // it went back: that is news
	must(t, s.Append("t3", user("and again")))
	ask(s, "h1", true)
	ask(s, "h3", false)
	must(t, s.Reset()) // whatever was to be told belonged to what ended here
	must(t, s.Append("t4", user("anew")))
	ask(s, "h3", false)
	ask(s, "h1", false)
}

// failing is a store whose appends fail while err is set.
type failing struct {
	*store.Sessions
	err error
}

func (f *failing) AppendAt(session string, last uint64, entries ...store.Entry) (uint64, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Sessions.AppendAt(session, last, entries...)
}

func TestNothingIsInMemoryThatIsNotStored(t *testing.T) {
	st := &failing{Sessions: newStore(t)}
	s := openChecked(t, st, "main")
	_, err := s.Delivered("before", "v")
	must(t, err)
	must(t, s.Append("t1", user("one")))
	st.err = &store.Error{Kind: store.Full}
	if _, err := s.Delivered("k", "v"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"append": s.Append("t2", user("two")), "freeze": s.Freeze(prefix("p")),
		"reset": s.Reset(), "compact": s.Compact(1, user("sum")), "turn": s.EndTurn(TurnRecord{ID: "t2"}),
	} {
		if !errors.Is(err, st.err) {
			t.Errorf("%s: %v, want %v", what, err, st.err)
		}
	}
	diff(t, "messages", s.Messages(), []message.Message{user("one")})
	if _, ok := s.Frozen(); ok {
		t.Error("frozen without being stored")
	}
	st.err = nil
	if told, _ := s.Delivered("k", "v"); told {
		t.Error("a fact counts as told although its message was not stored")
	}
	must(t, s.Append("t2", user("two")))
	diff(t, "messages", s.Messages(), []message.Message{user("one"), user("two")})
}

// unread is a store of which one part can't be read.
type unread struct {
	*store.Sessions
	info  bool   // where the session stands
	from  uint64 // entries from this number on
	alone bool   // only where one entry is asked for
	err   error
}

func (u unread) Session(id string) (store.SessionInfo, bool, error) {
	if u.info {
		return store.SessionInfo{}, false, u.err
	}
	return u.Sessions.Session(id)
}

func (u unread) EntriesFrom(session string, from uint64, limit int) ([]store.Entry, error) {
	if from >= u.from && (!u.alone || limit == 1) {
		return nil, u.err
	}
	return u.Sessions.EntriesFrom(session, from, limit)
}

// TestOpen_NeverForgetsForAFault: a session that can't be read wholly is an error,
// never a shorter conversation or a new one.
func TestOpen_NeverForgetsForAFault(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	must(t, s.Append("t1", user("before")))
	must(t, s.Reset())
	for range batch + 1 {
		must(t, s.Append("t1", user("a")))
	}
	fault := errors.New("the disk does not answer")
	for what, u := range map[string]unread{
		"its place":         {info: true, from: 1 << 32},
		"its boundary":      {from: 2, alone: true},
		"its second batch":  {from: batch + 2},
		"all of its record": {from: 0},
	} {
		u.Sessions, u.err = st, fault
		if got, err := Open(u, "main"); got != nil || !errors.Is(err, fault) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	s.store = unread{Sessions: st, from: batch + 1, err: fault}
	if _, ok, err := s.Turn("t1"); ok || !errors.Is(err, fault) {
		t.Errorf("turn: %v %v", ok, err)
	}
	s.store = st
}

// hole is a store that lacks entries.
type hole struct {
	*store.Sessions
	lacks []uint64
}

func (h hole) EntriesFrom(session string, from uint64, limit int) ([]store.Entry, error) {
	es, err := h.Sessions.EntriesFrom(session, from, limit)
	return slices.DeleteFunc(es, func(e store.Entry) bool { return slices.Contains(h.lacks, e.Seq) }), err
}

// TestOpen_TellsOfEachEntryThatIsMissing: at the start, in the middle and at the end.
func TestOpen_TellsOfEachEntryThatIsMissing(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	for _, text := range []string{"1", "2", "3", "4", "5"} {
		must(t, s.Append("", user(text)))
	}
	got, err := Open(hole{st, []uint64{1, 3, 5}}, "main")
	must(t, err)
	diff(t, "repairs", got.Repairs(), []string{
		"entry 1 could not be read and is left out", "entry 3 could not be read and is left out", "entry 5 could not be read and is left out",
	})
	diff(t, "messages", got.Messages(), []message.Message{user("2"), user("4")})
	must(t, s.Reset())
	must(t, s.Append("", user("6")))
	got, err = Open(hole{st, []uint64{6}}, "main")
	must(t, err)
	diff(t, "a boundary that is missing", got.Repairs(), []string{
		"the session boundary at entry 6 could not be read: what was said before it is part of the conversation again",
		"entry 6 could not be read and is left out",
	})
}

func TestTwinWritersAreFound(t *testing.T) {
	st := newStore(t)
	a := openChecked(t, st, "main")
	b := open(t, st, "main")
	must(t, a.Append("t1", user("from a")))
	err := b.Append("t1", user("from b"))
	if !errors.Is(err, store.Conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	diff(t, "conflict", err.Error(), "session main is at entry 1, not 0: somebody else wrote to it; nothing was written; open the session again and repeat")
	diff(t, "messages", a.Messages(), []message.Message{user("from a")})
}

func TestTurns(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	diff(t, "first", []string{s.NextTurn(), s.NextTurn()}, []string{"t1", "t2"})
	must(t, s.Append("t2", user("hello")))
	diff(t, "repairs while it runs", s.Repairs(), []string{})
	diff(t, "repairs after a kill", open(t, st, "main").Repairs(), []string{"turn t2 was interrupted"})
	reused := 12
	want := TurnRecord{
		ID: "t2", Started: t0, Usage: event.Usage{Requests: 2, Prompt: 100, Reused: &reused},
		Calls:  []event.Tool{{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["<"]}`), Outcome: "ok"}},
		Answer: "hi <you>", Status: "done", Report: json.RawMessage(`{"steps":2}`),
	}
	must(t, s.EndTurn(want))
	got, ok, err := open(t, st, "main").Turn("t2")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	diff(t, "turn", got, want)
	if _, ok, err := s.Turn("t1"); ok || err != nil {
		t.Errorf("turn t1 has no record: %v %v", ok, err)
	}
	diff(t, "after a restart", open(t, st, "main").NextTurn(), "t3")
	garbled := TurnRecord{ID: "t3", Calls: []event.Tool{{ID: "c2", Args: json.RawMessage(`{"a":`)}}}
	must(t, s.EndTurn(garbled))
	got, _, err = s.Turn("t3")
	must(t, err)
	diff(t, "garbled arguments", string(got.Calls[0].Args), `"{\"a\":"`)
	for _, id := range []string{"", "t", "t0", "t-1", "t01", "x1", "t1x"} {
		if err := s.EndTurn(TurnRecord{ID: id}); err == nil {
			t.Errorf("turn id %q was taken", id)
		}
	}
	if err := s.EndTurn(TurnRecord{ID: "t4", Report: json.RawMessage(`{`)}); err == nil {
		t.Error("a report that is no JSON was taken")
	}
}

func TestLongSessionReplaysInBatches(t *testing.T) {
	st := newStore(t)
	s := openChecked(t, st, "main")
	var want []message.Message
	for i := range 2*batch + 3 {
		want = append(want, user(fmt.Sprint("message ", i)))
	}
	must(t, s.Append("t1", want...))
	diff(t, "messages", open(t, st, "main").Messages(), want)
}

func TestOpenRefusesANamelessSession(t *testing.T) {
	if _, err := Open(newStore(t), ""); err == nil {
		t.Error("a session without a name was opened")
	}
}
