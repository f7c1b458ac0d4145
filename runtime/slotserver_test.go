package runtime

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

// slotServer is a model server as far as its slots go: a request takes the free
// slot with the longest common prefix, the first of equals, and waits while none is
// free. A token is a byte of prompt. It must run in a synctest bubble.
type slotServer struct {
	free   chan struct{} // one for each slot that may be taken
	says   int           // tokens of an answer, unless the request caps it lower
	counts bool          // it tells what it reused
	read   time.Duration // a byte
	least  time.Duration // any prompt
	late   time.Duration // a request gets to its slot
	turned bool          // the request that loads the model gets its slot last

	mu       sync.Mutex
	slots    []slotText
	loaded   bool
	atOnce   int // requests that run now
	most     int // of them at once, ever
	requests []served
}

// slotText is what a slot holds.
type slotText struct {
	text string
	busy bool
}

// served is a request and what it reused.
type served struct {
	q            model.Request
	slot, reused int
	prompt       int
}

// Speeds: of an answer, of loading the model.
const (
	sayToken  = 50 * time.Millisecond
	loadModel = 2 * time.Second
)

func newSlotServer(slots int, counts bool) *slotServer {
	return &slotServer{slots: make([]slotText, slots), says: 100, counts: counts, read: time.Millisecond}
}

// start lets requests in. It is called in the bubble, whose channels it makes.
func (s *slotServer) start() {
	s.free = make(chan struct{}, len(s.slots))
	for range s.slots {
		s.free <- struct{}{}
	}
}

// restart ends the runner: what it held is gone.
func (s *slotServer) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.slots = false, make([]slotText, len(s.slots))
}

// loads reports whether this request is the one that loads the model.
func (s *slotServer) loads() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.loaded
	s.loaded = true
	return first
}

// take finds a slot, as the server's cache does.
func (s *slotServer) take(text string) (at, common int, load time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		s.loaded, load = true, loadModel
	}
	common = -1
	for i, h := range s.slots {
		if n := model.Shared(h.text, text); !h.busy && n > common {
			at, common = i, n
		}
	}
	s.slots[at] = slotText{text: text, busy: true}
	s.atOnce++
	s.most = max(s.most, s.atOnce)
	return at, min(common, len(text)-1), load
}

func (s *slotServer) Chat(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
	if s.turned && s.loads() {
		if err := wait(ctx, loadModel); err != nil {
			return model.Reply{}, err
		}
	}
	if err := wait(ctx, s.late); err != nil {
		return model.Reply{}, err
	}
	select {
	case <-s.free:
	case <-ctx.Done():
		return model.Reply{}, context.Cause(ctx)
	}
	text := "<|im_start|>system\n" + asRead(q)
	at, common, load := s.take(text)
	defer func() {
		s.mu.Lock()
		s.slots[at].busy = false
		s.atOnce--
		s.mu.Unlock()
		s.free <- struct{}{}
	}()
	read := max(time.Duration(len(text)-common)*s.read, s.least)
	if err := wait(ctx, load+read); err != nil {
		return model.Reply{}, err
	}
	n := min(s.says, q.NumPredict)
	for range n {
		chunk(model.Chunk{Text: "x"})
		if err := wait(ctx, sayToken); err != nil {
			return model.Reply{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, served{q, at, common, len(text)})
	r := model.Reply{Message: message.Message{Text: strings.Repeat("x", n)}, DoneReason: "stop"}
	r.Usage = model.Usage{Prompt: len(text), Output: n, PromptEval: read, Load: load}
	if s.counts {
		r.Usage.Cached, r.Usage.CachedKnown = common, true
	}
	return r, nil
}

// wait lets time pass.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// all are the requests so far.
func (s *slotServer) all() []served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// turns are the requests that were no filling of a slot.
func (s *slotServer) turns() []served {
	var out []served
	for _, r := range s.all() {
		if r.q.NumPredict > 32 { // a seed generates no more
			out = append(out, r)
		}
	}
	return out
}
