package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// crammed is a store whose disk is full while on is true.
type crammed struct {
	session.EntryStore
	on bool
}

func (c *crammed) AppendAt(id string, last uint64, entries ...store.Entry) (uint64, error) {
	if c.on {
		return 0, &store.Error{Kind: store.Full, Message: "no space left in /state to keep it; nothing of it was written", Hint: "free some space on that disk and try again"}
	}
	return c.EntryStore.AppendAt(id, last, entries...)
}

// fullDoor is a door whose audit can't be kept while the disk is full.
type fullDoor struct {
	*bench
	disk *crammed
}

func (d fullDoor) Call(ctx context.Context, from tools.Origin, c tools.Call, say func(string)) (tools.Result, error) {
	if d.disk.on {
		return tools.Result{}, &store.Error{Kind: store.Full, Message: "no space left in /state to keep it; nothing of it was written", Hint: "free some space on that disk and try again"}
	}
	return d.bench.Call(ctx, from, c, say)
}

func TestCase176_FullDiskStillAnswers(t *testing.T) {
	l := newLab(t, nil, say("before"), call("exec", `{}`), say("I can't: the disk is full."), say("after"))
	disk := &crammed{EntryStore: l.agent.sessions.store}
	l.agent.sessions.store, l.agent.cfg.Tools = disk, fullDoor{l.bench, disk}
	l.ask("one")
	disk.on = true
	end := l.ask("two")
	if end.Answer != "I can't: the disk is full." || end.Status != RefusedTurn || len(l.bench.ran) != 0 {
		t.Errorf("%+v, ran %v", end, l.bench.ran)
	}
	if d := cmp.Diff([]string{"disk_full"}, l.warnings()); d != "" {
		t.Error("one clear error:", d)
	}
	l.checkPrefix()
	l.pairs()
	disk.on = false
	if end := l.ask("three"); end.Status != Done || len(l.warnings()) != 0 {
		t.Errorf("normal again: %+v, %v", end, l.warnings())
	}
	sent := asRead(l.model.requests[3])
	if strings.Contains(sent, "two") || !strings.Contains(sent, "before") || len(l.model.requests[3].Messages) != 4 {
		t.Errorf("half a turn was kept:\n%s", sent)
	}
}

// flawed is a store that can't keep the entries of the n-th append.
type flawed struct {
	session.EntryStore
	n, seen int
}

var errFlawed = errors.New("input/output error")

func (f *flawed) AppendAt(id string, last uint64, entries ...store.Entry) (uint64, error) {
	if f.seen++; f.seen == f.n {
		return 0, errFlawed
	}
	return f.EntryStore.AppendAt(id, last, entries...)
}

// TestNoFaultOfTheStoreIsSilent breaks each write of a turn by itself: the turn says
// so, is not done (unless only its record is missing), and the conversation is whole
// for the next one.
func TestNoFaultOfTheStoreIsSilent(t *testing.T) {
	broken := func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "half an ans"})
		var r model.Reply
		r.Message.Text = "half an ans"
		return r, errors.New("the stream broke")
	}
	for name, c := range map[string]struct {
		writes int
		status string
		steps  []step
	}{
		"a call":          {7, Done, []step{call("exec", `{"argv":["a"]}`, "exec", `{"argv":["b"]}`), say("done"), say("on"), say("on")}},
		"a broken answer": {4, FailedTurn, []step{broken, say("on"), say("on")}},
	} {
		n := 1
		for ; ; n++ {
			l := newLab(t, nil, c.steps...)
			st := &flawed{EntryStore: l.agent.sessions.store, n: n}
			l.agent.sessions.store = st
			end := l.ask("go")
			if st.seen < n {
				break
			}
			record := slices.Contains(l.warnings(), "record")
			if told := end.Error != nil && strings.Contains(end.Error.Message, errFlawed.Error()); told == record {
				t.Errorf("%s, write %d: %+v, warnings %v", name, n, end.Error, l.warnings())
			}
			if want := c.status; record && end.Status != want || !record && end.Status != FailedTurn {
				t.Errorf("%s, write %d: status %s, only the record is missing: %v", name, n, end.Status, record)
			}
			l.ask("go on")
			l.pairs()
		}
		if n-1 != c.writes {
			t.Errorf("%s: %d writes, want %d", name, n-1, c.writes)
		}
	}
}

func TestDiskThatFillsDuringATurn(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["a"]}`), say("done with a"), say("on"))
	disk := &crammed{EntryStore: l.agent.sessions.store}
	l.agent.sessions.store = disk
	l.bench.does["exec"] = func(string) tools.Result { disk.on = true; return ok("filled it") }
	if end := l.ask("fill it"); end.Answer != "done with a" {
		t.Errorf("%+v", end)
	}
	disk.on = false
	l.ask("go on")
	l.pairs() // the call whose result could not be kept has a result all the same
}
