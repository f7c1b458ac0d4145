package jetson

import (
	"context"
	"errors"
	"sync"
)

// errSilent is the error of a read that did not come back.
var errSilent = errors.New("it does not answer")

// gate runs reads that may never return. A system call can't be called off, so a
// read that is stuck stays out; until it comes back, nobody waits for the same key
// again and no second one is sent after it.
type gate struct {
	mu  sync.Mutex
	out map[string]*errand
}

// errand is a read that is under way.
type errand struct {
	done chan struct{}
	late bool // somebody has waited for the whole limit; guarded by the gate
	data []byte
	err  error
}

// read gives what get gives, or errSilent when the context ends first.
func (g *gate) read(ctx context.Context, key string, get func() ([]byte, error)) ([]byte, error) {
	e, ok := g.join(key, get)
	if !ok {
		return nil, errSilent
	}
	select {
	case <-e.done:
		return e.data, e.err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-e.done: // both at once: what is there counts
		return e.data, e.err
	default:
	}
	e.late = errors.Is(ctx.Err(), context.DeadlineExceeded) // a caller that left proves nothing
	return nil, errSilent
}

// join gives the errand of a key, sending it if none is out; false when it is
// known to be stuck.
func (g *gate) join(key string, get func() ([]byte, error)) (*errand, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e := g.out[key]; e != nil {
		return e, !e.late
	}
	e := &errand{done: make(chan struct{})}
	if g.out == nil {
		g.out = map[string]*errand{}
	}
	g.out[key] = e
	go func() {
		e.data, e.err = get()
		g.mu.Lock()
		delete(g.out, key)
		g.mu.Unlock()
		close(e.done)
	}()
	return e, true
}
