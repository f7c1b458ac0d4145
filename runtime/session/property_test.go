package session

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hardshell/runtime/message"
)

// oracle is a session as a child would write one: everything in plain memory.
type oracle struct {
	sent   []message.Message
	prefix *Prefix
	told   map[string]string
	turns  int
	last   string
	open   []string // calls without a result
}

// TestSessionIsItsEntries runs random conversations, kills and restarts, and
// compares with the oracle after every step. What was sent stays the beginning
// of what is sent until a boundary.
func TestSessionIsItsEntries(t *testing.T) {
	st := newStore(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		id := fmt.Sprint("session ", run)
		s, o := open(t, st, id), &oracle{told: map[string]string{}}
		n := 0
		text := func() string { n++; return fmt.Sprint("text ", n) }
		turn := s.NextTurn()
		stored := false // something of turn is in the store
		add := func(msgs ...message.Message) {
			must(t, s.Append(turn, msgs...))
			o.sent = append(o.sent, msgs...)
			stored = true
		}
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) {
				if len(o.open) > 0 {
					t.Skip("a batch is running")
				}
				key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
				value := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value")
				told, err := s.Delivered(key, value)
				must(t, err)
				if want := o.told[key] == value; told != want {
					t.Fatalf("told %s=%s is %v, want %v", key, value, told, want)
				}
				add(user(text()))
				o.told[key] = value
			},
			"call": func(t *rapid.T) {
				if len(o.open) > 0 {
					t.Skip("a batch is running")
				}
				for range rapid.IntRange(1, 3).Draw(t, "calls") {
					n++
					o.open = append(o.open, fmt.Sprint("c", n))
				}
				add(calls(o.open...))
			},
			"result": func(t *rapid.T) {
				if len(o.open) == 0 {
					t.Skip("no call is open")
				}
				at := rapid.IntRange(0, len(o.open)-1).Draw(t, "which")
				add(result(o.open[at]))
				o.open = slices.Delete(o.open, at, at+1)
			},
			"end": func(t *rapid.T) {
				must(t, s.EndTurn(TurnRecord{ID: turn, Started: t0, Calls: nil, Answer: text()}))
				o.last, o.turns = turn, o.turns+1
				turn, stored = s.NextTurn(), false
			},
			"freeze": func(t *rapid.T) {
				p := prefix(text())
				must(t, s.Freeze(p))
				o.prefix = &p
			},
			"reset": func(t *rapid.T) {
				must(t, s.Reset())
				*o = oracle{told: map[string]string{}, turns: o.turns, last: o.last}
			},
			"compact": func(t *rapid.T) {
				if len(o.open) > 0 {
					t.Skip("a batch is running")
				}
				from := rapid.IntRange(0, len(o.sent)).Draw(t, "from")
				sum := user(text())
				must(t, s.Compact(from, sum))
				for from < len(o.sent) && from > 0 && o.sent[from].Role == message.Tool {
					from--
				}
				*o = oracle{told: map[string]string{}, turns: o.turns, last: o.last, sent: append([]message.Message{sum}, o.sent[from:]...)}
			},
			"kill": func(t *rapid.T) {
				s = open(t, st, id)
				for _, m := range o.sent { // the open calls, in their own order
					for _, c := range m.Calls {
						if slices.Contains(o.open, c.ID) {
							o.sent = append(o.sent, lost(c.ID))
						}
					}
				}
				o.open = nil
				if next := s.NextTurn(); stored && next == turn {
					t.Fatalf("turn id %s is given twice", next)
				} else {
					turn, stored = next, false
				}
			},
			"": func(t *rapid.T) {
				diff(t, "messages", s.Messages(), o.sent)
				p, ok := s.Frozen()
				if ok != (o.prefix != nil) {
					t.Fatalf("frozen is %v", ok)
				}
				if ok {
					diff(t, "prefix", p, *o.prefix)
				}
				diff(t, "last turn", s.LastTurn(), o.last)
				if len(o.open) == 0 { // else replay answers the open calls
					checkReplay(t, st, s)
				}
			},
		})
	})
}
