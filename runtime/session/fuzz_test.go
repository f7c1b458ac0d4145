package session

import (
	"encoding/json"
	"testing"

	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// FuzzApply replays entries of any content: an entry is used or told to be
// useless, and what is sent afterwards is always in order.
func FuzzApply(f *testing.F) {
	for _, e := range []draft{
		entry(store.KindMessage, "t1", toWire(calls("c1"))), entry(store.KindMessage, "t1", toWire(result("c1"))),
		entry(store.KindPrefix, "", toWirePrefix(prefix("p"))), entry(store.KindDelivered, "t1", fact{Key: "k", Value: "v"}),
		entry(store.KindTurn, "t1", TurnRecord{ID: "t1"}),
		entry(store.KindReset, "", carried{Turns: 3}), entry(store.KindCompact, "", carried{Messages: []wireMessage{toWire(result("c9"))}}),
		entry("hologram", "t99999999999999999999", 1),
	} {
		data, err := encode(e.v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.kind, e.turn, []byte(data))
	}
	f.Fuzz(func(t *testing.T, kind, turn string, data []byte) {
		var st state
		before := []store.Entry{
			{Kind: store.KindMessage, Turn: "t2", Data: mustEncode(t, toWire(calls("c1", "c2")))},
			{Kind: store.KindMessage, Turn: "t2", Data: mustEncode(t, toWire(result("c1")))},
		}
		for _, e := range before {
			if problem := st.apply(e); problem != "" {
				t.Fatal(problem)
			}
		}
		whole := st.clone()
		if problem := st.apply(store.Entry{Kind: kind, Turn: turn, Data: data}); problem != "" {
			diff(t, "state after a useless entry", st.messages, whole.messages)
			diff(t, "turns after a useless entry", st.turns, whole.turns)
		}
		if st.turns < 2 {
			t.Fatalf("turn ids go back to %d", st.turns)
		}
		st.messages = append(st.messages, interrupted(st.messages)...)
		st.arrange()
		open := map[string]int{}
		for _, m := range st.sent {
			if m.Role == message.Tool {
				open[m.CallID]--
				continue
			}
			for _, c := range m.Calls {
				open[c.ID]++
			}
		}
		for id, n := range open {
			if n != 0 {
				t.Fatalf("call %q has %d open ends: %+v", id, n, st.sent)
			}
		}
	})
}

func mustEncode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := encode(v)
	must(t, err)
	return b
}
