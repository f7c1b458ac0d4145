package runtime

import (
	"context"
	"maps"
	"slices"
	"sync"

	"hardshell/runtime/event"
)

// turnQueue lets one turn at a time run in each session. Where several wait, one that a
// person began goes first.
type turnQueue struct {
	mu      sync.Mutex
	turns   map[string]*runningTurn // session → the turn that runs in it
	persons map[string]int          // session → persons who wait for their turn
	moved   chan struct{}           // closed when a turn begins or ends
	waits   func()                  // what is to be done when no turn runs
}

// runningTurn is a turn that runs now.
type runningTurn struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

func newTurnQueue() *turnQueue {
	return &turnQueue{turns: map[string]*runningTurn{}, persons: map[string]int{}, moved: make(chan struct{})}
}

// begin waits until no turn runs in a session and marks this one as running. While a
// person waits, nobody else goes first.
func (q *turnQueue) begin(ctx context.Context, id string, person bool, cancel context.CancelCauseFunc) (*runningTurn, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if person {
		q.persons[id]++
		defer func() {
			if q.persons[id]--; q.persons[id] == 0 {
				delete(q.persons, id)
			}
		}()
	}
	for q.turns[id] != nil || !person && q.persons[id] > 0 {
		moved := q.moved
		q.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			q.mu.Lock()
			q.move()
			return nil, context.Cause(ctx)
		}
		q.mu.Lock()
	}
	r := &runningTurn{cancel: cancel, done: make(chan struct{})}
	q.turns[id] = r
	q.move()
	return r, nil
}

// move tells whoever waits for a turn to look again. The caller holds the mutex.
func (q *turnQueue) move() {
	close(q.moved)
	q.moved = make(chan struct{})
}

// finish ends what begin began.
func (q *turnQueue) finish(id string, r *runningTurn) {
	q.mu.Lock()
	delete(q.turns, id)
	q.runWaiting()
	q.move()
	q.mu.Unlock()
	close(r.done)
}

// between runs f while no turn runs: at once, or when the last one ends, before another
// can begin. Of several that wait the newest is run. f must not use the queue.
func (q *turnQueue) between(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits = f
	q.runWaiting()
}

// runWaiting runs what waits for the end of all turns. The caller holds the mutex.
func (q *turnQueue) runWaiting() {
	if f := q.waits; f != nil && len(q.turns) == 0 {
		q.waits = nil
		f()
	}
}

// runs reports whether a turn runs in a session.
func (q *turnQueue) runs(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns[id] != nil
}

// sessions are the ids of the sessions in which a turn runs, sorted.
func (q *turnQueue) sessions() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	ids := slices.AppendSeq([]string{}, maps.Keys(q.turns))
	slices.Sort(ids)
	return ids
}

// count is how many turns run.
func (q *turnQueue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.turns)
}

// errStopped is the cause of a turn that a person stopped.
var errStopped = &event.Problem{Code: "stopped", Message: "stopped by a person", Hint: "what was said so far is kept; ask again to go on"}

// stop ends the turn that runs in a session, waits for its end, and reports whether
// there was one.
func (q *turnQueue) stop(id string) bool {
	q.mu.Lock()
	r := q.turns[id]
	q.mu.Unlock()
	if r == nil {
		return false
	}
	r.cancel(errStopped)
	<-r.done
	return true
}
