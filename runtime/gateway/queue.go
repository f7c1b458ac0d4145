package gateway

import (
	"strconv"
	"sync"

	"hardshell/runtime/event"
)

// maxQueued is the number of events that wait for one client. Beyond it, pieces
// of streamed text and tool output are left out for that client; every other
// event stays, so that verdicts, questions and the end always arrive.
const maxQueued = 4096

// queue stands between a turn, which never waits, and a client, which may.
type queue struct {
	mu    sync.Mutex
	ready *sync.Cond
	items []event.Event
	lost  int
	ended bool
}

func newQueue() *queue {
	q := &queue{}
	q.ready = sync.NewCond(&q.mu)
	return q
}

// put adds an event without waiting.
func (q *queue) put(e event.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) >= maxQueued && (e.Kind == event.ModelChunk || e.Kind == event.ToolUpdate) {
		q.lost++
		return
	}
	q.items = append(q.items, e)
	q.ready.Signal()
}

// end says that no event follows.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.ready.Signal()
}

// take gives the next event, waiting for it; false when none follows. What was
// left out is told before the next event that did fit.
func (q *queue) take() (event.Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.ended {
		q.ready.Wait()
	}
	if len(q.items) == 0 {
		return event.Event{}, false
	}
	e := q.items[0]
	q.items = q.items[1:]
	if q.lost > 0 && e.Kind == event.TurnEnd {
		n := lostNotice(q.lost, e)
		q.lost = 0
		q.items = append([]event.Event{e}, q.items...)
		return n, true
	}
	return e, true
}

// lostNotice tells a client how many pieces of output it was too slow for.
func lostNotice(n int, at event.Event) event.Event {
	return event.Event{
		Kind: event.Warning, Time: at.Time, Session: at.Session, Turn: at.Turn,
		Notice: &event.Notice{
			Code:    "viewer_slow",
			Message: strconv.Itoa(n) + " pieces of output were left out because this viewer read too slowly; the turn itself is complete",
			Hint:    "the whole answer stands in turn.end",
		},
	}
}
