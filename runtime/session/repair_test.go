package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// TestCase173_CallWithoutResultIsAnsweredOnce ends a transcript in a call, as a
// kill does, and goes on.
func TestCase173_CallWithoutResultIsAnsweredOnce(t *testing.T) {
	st := newStore(t)
	must(t, open(t, st, "main").Append("t1", user("switch it on"), calls("c1")))
	before, err := st.EntriesFrom("main", 0, 0)
	must(t, err)

	s := open(t, st, "main")
	want := []message.Message{user("switch it on"), calls("c1"), lost("c1")}
	diff(t, "messages", s.Messages(), want)
	diff(t, "repairs", s.Repairs(), []string{
		"call c1 (exec) had no result: it is sent as interrupted, outcome unknown",
		"turn t1 was interrupted",
	})
	now, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	diff(t, "a look stores nothing", now, before)

	must(t, s.Append("t2", user("go on")))
	want = append(want, user("go on"))
	diff(t, "messages", s.Messages(), want)
	for range 3 { // stored once, however often it is opened
		s = open(t, st, "main")
		diff(t, "messages after a restart", s.Messages(), want)
	}
	t.Cleanup(func() { checkReplay(t, st, s) })
	after, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	diff(t, "history bytes", after[:len(before)], before)
	diff(t, "entries", len(after), len(before)+2)
	must(t, s.Append("t3", user("and on")))
	diff(t, "messages", s.Messages(), append(want, user("and on")))
}

// TestCase178_ResultInTheWrongPlaceIsFound stores a result behind a user text.
func TestCase178_ResultInTheWrongPlaceIsFound(t *testing.T) {
	st := newStore(t)
	must(t, open(t, st, "main").Append("t1", calls("c1"), user("text"), result("c1"), calls("c2"), result("c2")))
	before, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	s := openChecked(t, st, "main")
	diff(t, "messages", s.Messages(), []message.Message{calls("c1"), result("c1"), user("text"), calls("c2"), result("c2")})
	diff(t, "repairs", s.Repairs(), []string{
		"turn t1 was interrupted",
		"the result of call c1 was stored in the wrong place and is sent behind its call",
	})
	must(t, s.Append("t2", user("next")))
	after, err := st.EntriesFrom("main", 0, 0)
	must(t, err)
	diff(t, "history bytes", after[:len(before)], before)
}

func TestArrange(t *testing.T) {
	asst := message.Message{Role: message.Assistant, Text: "done"}
	for _, c := range []struct {
		name             string
		stored, want     []message.Message
		repaired, missed int
	}{
		{"empty", nil, nil, 0, 0},
		{"in order", []message.Message{user("a"), calls("1", "2"), result("1"), result("2"), asst}, []message.Message{user("a"), calls("1", "2"), result("1"), result("2"), asst}, 0, 0},
		{"results of one batch as they came", []message.Message{calls("1", "2"), result("2"), result("1")}, []message.Message{calls("1", "2"), result("2"), result("1")}, 0, 0},
		{"one of two missing", []message.Message{calls("1", "2"), result("2"), user("a")}, []message.Message{calls("1", "2"), result("2"), user("a")}, 0, 1},
		{"result before its call", []message.Message{result("1"), user("a"), calls("1")}, []message.Message{user("a"), calls("1"), result("1")}, 1, 0},
		{"result without a call", []message.Message{user("a"), result("9"), asst}, []message.Message{user("a"), asst}, 1, 0},
		{"result twice", []message.Message{calls("1"), result("1"), result("1")}, []message.Message{calls("1"), result("1")}, 1, 0},
		{"id used again", []message.Message{calls("1"), result("1"), calls("1"), result("1")}, []message.Message{calls("1"), result("1"), calls("1"), result("1")}, 0, 0},
		{"id used again, first one lost", []message.Message{calls("1"), calls("1"), result("1")}, []message.Message{calls("1"), calls("1"), result("1")}, 0, 1},
		{"two batches crossed", []message.Message{calls("1"), calls("2"), result("1"), result("2")}, []message.Message{calls("1"), result("1"), calls("2"), result("2")}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, repairs := arrange(c.stored)
			diff(t, "sent", got, c.want)
			diff(t, "repairs", len(repairs), c.repaired)
			diff(t, "interrupted", len(interrupted(c.stored)), c.missed)
		})
	}
}

// TestArrangeAnswersEveryCallOnce holds for any heap of messages: after the
// repair each call has one result in the block right behind it.
func TestArrangeAnswersEveryCallOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"1", "2", "3"})
		msgs := rapid.SliceOfN(rapid.OneOf(
			rapid.Just(user("u")),
			rapid.Map(rapid.SliceOfNDistinct(ids, 1, 3, rapid.ID[string]), func(ids []string) message.Message { return calls(ids...) }),
			rapid.Map(ids, result),
		), 0, 12).Draw(t, "messages")
		sent, _ := arrange(append(slices.Clone(msgs), interrupted(msgs)...))
		for i := 0; i < len(sent); i++ {
			if sent[i].Role == message.Tool {
				t.Fatalf("message %d is a result outside of its block: %+v", i, sent)
			}
			var want, got []string
			for _, c := range sent[i].Calls {
				want = append(want, c.ID)
			}
			for range want {
				if i++; i >= len(sent) || sent[i].Role != message.Tool {
					t.Fatalf("results are missing at %d: %+v", i, sent)
				}
				got = append(got, sent[i].CallID)
			}
			slices.Sort(want)
			slices.Sort(got)
			diff(t, "results behind a call", got, want)
		}
		again, repairs := arrange(sent)
		diff(t, "arranged again", again, sent)
		diff(t, "repairs of what is in order", repairs, []string{})
	})
}

func TestCompactKeepsPairsWhole(t *testing.T) {
	history := []message.Message{user("a"), calls("1", "2"), result("1"), result("2"), user("b"), calls("3")}
	sum := message.Message{Role: message.User, Text: "so far: <a>"}
	for from, want := range map[int][]message.Message{
		0: append([]message.Message{sum}, history...),
		1: append([]message.Message{sum}, history[1:]...),
		2: append([]message.Message{sum}, history[1:]...), // not between call and result
		3: append([]message.Message{sum}, history[1:]...),
		4: append([]message.Message{sum}, history[4:]...),
		6: append([]message.Message{sum}, history[5:]...), // call 3 still waits for its result
	} {
		st := newStore(t)
		s := open(t, st, "main")
		must(t, s.Freeze(prefix("p")))
		must(t, s.Append("t7", history...))
		must(t, s.Compact(from, sum))
		diff(t, "compacted", s.Messages(), want)
		if _, ok := s.Frozen(); ok {
			t.Error("the prefix outlived the compaction")
		}
		must(t, s.Append("t7", result("3")))
		want = append(slices.Clone(want), result("3"))
		again := openChecked(t, st, "main")
		diff(t, "after a restart", again.Messages(), want)
		diff(t, "next turn", again.NextTurn(), "t8")
	}
	s := open(t, newStore(t), "main")
	for _, from := range []int{-1, 1} {
		if err := s.Compact(from, sum); err == nil {
			t.Errorf("compacting an empty session from %d was taken", from)
		}
	}
}

// TestCompactAfterAKill compacts a session that still owes a result.
func TestCompactAfterAKill(t *testing.T) {
	st := newStore(t)
	must(t, open(t, st, "main").Append("t1", user("a"), calls("1")))
	s := openChecked(t, st, "main")
	must(t, s.Compact(1, user("sum")))
	diff(t, "messages", s.Messages(), []message.Message{user("sum"), calls("1"), lost("1")})
}

// TestLostEntriesCostNothingElse spoils one entry at a time and opens the session.
func TestLostEntriesCostNothingElse(t *testing.T) {
	for seq, want := range map[uint64][]message.Message{
		1: {user("b"), user("c")},
		2: {user("a"), user("c")},
		3: {user("a"), user("b"), user("c")}, // the compaction: what it replaced is back
		4: {user("sum"), user("b")},
	} {
		dir := t.TempDir()
		st := openStore(t, dir)
		s := open(t, st.Sessions, "main")
		must(t, s.Append("t1", user("a")))
		must(t, s.Append("t2", user("b")))
		must(t, s.Compact(1, user("sum")))
		must(t, s.Append("t3", user("c")))
		must(t, st.Close())
		spoil(t, dir, seq)
		st = openStore(t, dir)
		s = open(t, st.Sessions, "main")
		if seq < 3 { // before the boundary: nobody needs it
			want = []message.Message{user("sum"), user("b"), user("c")}
		}
		diff(t, "messages", s.Messages(), want)
		if seq >= 3 && !strings.Contains(strings.Join(s.Repairs(), "\n"), "could not be read") {
			t.Errorf("entry %d: nobody is told: %q", seq, s.Repairs())
		}
		must(t, s.Append("t4", user("d")))
		checkReplay(t, st.Sessions, s)
		must(t, st.Close())
	}
}

// spoil flips a bit in an entry of session main.
func spoil(t *testing.T, dir string, seq uint64) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "hardshell.db"), 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("entries")).Bucket([]byte("main"))
		key := []byte{0, 0, 0, 0, 0, 0, 0, byte(seq)}
		v := slices.Clone(b.Get(key))
		v[len(v)-1] ^= 1
		return b.Put(key, v)
	}))
	must(t, db.Close())
}

// TestUnknownEntryIsLeftOut replays an entry of a kind that nobody knows.
func TestUnknownEntryIsLeftOut(t *testing.T) {
	st := newStore(t)
	must(t, open(t, st, "main").Append("t1", user("a")))
	_, err := st.AppendAt("main", 1, store.Entry{Kind: "hologram", Data: []byte(`1`)}, store.Entry{Kind: store.KindMessage, Data: []byte(`[]`)})
	must(t, err)
	s := openChecked(t, st, "main")
	diff(t, "messages", s.Messages(), []message.Message{user("a")})
	diff(t, "repairs", s.Repairs()[0], `entry 2 can't be used (kind "hologram" is not known) and is left out`)
	diff(t, "number of repairs", len(s.Repairs()), 3)
}
