package model

import (
	"context"
	"slices"
	"sync"
)

// Priority says who waits for a model. A lower value goes first.
type Priority int

// The priorities. Whoever is in front of the screen goes first.
const (
	Person    Priority = iota // a person waits for the answer
	Approval                  // a turn goes on after a person's answer
	Scheduled                 // a job
	Sub                       // a sub-agent
	Warmup                    // filling the cache ahead of need
)

// Lane lets one request at a time through to the model, by priority and then by
// arrival. A server would queue them as well, but by arrival only, and while a
// request waits there its time limits run. The one exception are the two requests of
// a slot seeding, which whoever holds the lane sends at once.
type Lane struct {
	mu   sync.Mutex
	busy string // label of the request in flight
	held bool
	line []*waiter // in the order in which they will go
}

// waiter is a request that has not gone yet.
type waiter struct {
	priority Priority
	label    string
	turn     chan struct{} // closed when the lane is this one's
}

// NewLane makes an empty lane.
func NewLane() *Lane { return &Lane{} }

// Acquire waits for the lane and gives what frees it again; release may be called
// more than once. The error is the cause of a dead context.
func (l *Lane) Acquire(ctx context.Context, p Priority, label string) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	l.mu.Lock()
	if !l.held {
		l.held, l.busy = true, label
		l.mu.Unlock()
		return l.releaser(), nil
	}
	w := &waiter{priority: p, label: label, turn: make(chan struct{})}
	at := len(l.line)
	for at > 0 && l.line[at-1].priority > p {
		at--
	}
	l.line = slices.Insert(l.line, at, w)
	l.mu.Unlock()
	select {
	case <-w.turn:
		return l.releaser(), nil
	case <-ctx.Done():
		if !l.leave(w) {
			l.next() // it was handed over in the same moment
		}
		return nil, context.Cause(ctx)
	}
}

// leave takes a waiter out of the line; false when the lane is already its own.
func (l *Lane) leave(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.line, w)
	if i < 0 {
		return false
	}
	l.line = slices.Delete(l.line, i, i+1)
	return true
}

// releaser frees the lane once, however often it is called.
func (l *Lane) releaser() func() {
	var once sync.Once
	return func() { once.Do(l.next) }
}

// next hands the lane to the first in line, or leaves it free.
func (l *Lane) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) == 0 {
		l.held, l.busy = false, ""
		return
	}
	w := l.line[0]
	l.line = l.line[1:]
	l.busy = w.label
	close(w.turn)
}

// Queue names the requests that wait, first in line first.
func (l *Lane) Queue() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]string, 0, len(l.line))
	for _, w := range l.line {
		out = append(out, w.label)
	}
	return out
}
