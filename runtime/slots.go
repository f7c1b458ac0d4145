package runtime

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

const (
	// seedHold is how many tokens the main prompt's seed generates at most, so that
	// it still has its slot when the other seed arrives.
	seedHold = 32
	// seedLead is when the main prompt has its slot for certain, also when it is still
	// being read and nothing has come of it.
	seedLead = 100 * time.Millisecond
	// seedTries is how often a seeding that came to nothing is repeated before the
	// server counts as one with a single slot.
	seedTries = 2
)

// Slots is what was found out about the server's slots.
type Slots struct {
	// Count is how many prompts the server keeps apart, 1 or 2; 0: not known.
	Count int `json:"count"`
	// Why says what it was found by.
	Why string `json:"why,omitempty"`
}

// seeding is what is known of the slots of one runner: it holds for one model and
// window, until that runner is gone.
type seeding struct {
	Slots
	model  string
	numCtx int
	tries  int
}

// Slots tells what was found out about the slots of the server.
func (a *Agent) slots() Slots {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seeded.Slots
}

// unseeded reports whether a seeding may find something out about the server that
// has a choice.
func (a *Agent) unseeded(c choice) bool {
	tries := a.tries(c)
	return tries == 0 || a.slots().Count == 0 && tries < seedTries
}

// tries counts the seedings of the runner that serves a choice now.
func (a *Agent) tries(c choice) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seeded.model != c.info.Name || a.seeded.numCtx != c.numCtx {
		return 0
	}
	return a.seeded.tries
}

// unseed forgets what was found out: the runner is gone, or the server read again
// what it should have held.
func (a *Agent) unseed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seeded = seeding{}
}

// seed gives the main prompt and a sub-agent's one slot each and finds out whether
// the server keeps them apart. A server puts a request into the free slot with the
// longest common prefix, and every prompt shares its first tokens with every other:
// so the second one is sent while the first still has its slot. Then the first is
// read once more. If it costs next to nothing, there are two slots; if it costs the
// whole prompt there is one, and the main prompt is in it again. The two requests
// at once are the one exception to one request at a time; the lane is held for them.
func (a *Agent) seed(ctx context.Context, c choice, p model.Priority, main, sub model.Request) error {
	release, err := a.lane.Acquire(ctx, p, "slot seeding")
	if err != nil {
		return err
	}
	defer release()
	first, second, err := a.atOnce(ctx, held(main), sub)
	if err != nil {
		return err
	}
	again := a.ledger.Plan(main)
	rep, err := a.cfg.Model.Chat(ctx, main, func(model.Chunk) {})
	if err != nil {
		return err
	}
	found := a.judge(rep.Usage)
	if found.Count == 1 && first.Usage.Output < seedHold && a.tries(c)+1 < seedTries {
		found = Slots{Why: "the model ended too soon to tell: " + found.Why}
	}
	switch kept := (model.Sent{Plan: again, Usage: rep.Usage}); found.Count {
	case 2:
		a.ledger.Settle(kept, second)
	default:
		a.ledger.Settle(kept)
	}
	tries := a.tries(c) + 1
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seeded = seeding{Slots: found, model: c.info.Name, numCtx: c.numCtx, tries: tries}
	a.cfg.Log.Info("slots", "count", found.Count, "why", found.Why)
	return nil
}

// held is the request that keeps its slot for a while: it generates, from the last
// place at which the model answered in words. Calls would not do: a server shows
// them only when they are whole.
func held(q model.Request) model.Request {
	q.NumPredict = seedHold
	for i, m := range slices.Backward(q.Messages) {
		if m.Role == message.Assistant && len(m.Calls) == 0 {
			q.Messages = q.Messages[:i]
			break
		}
	}
	return q
}

// atOnce sends the second request while the first one is still at work.
func (a *Agent) atOnce(ctx context.Context, one, two model.Request) (first, second model.Sent, err error) {
	var rep model.Reply
	var failed error
	begun, done := make(chan struct{}), make(chan struct{})
	var once sync.Once
	first.Plan, second.Plan = a.ledger.Plan(one), a.ledger.Plan(two)
	go func() {
		defer close(done)
		rep, failed = a.cfg.Model.Chat(ctx, one, func(c model.Chunk) {
			if c.Text != "" || c.Thinking != "" {
				once.Do(func() { close(begun) })
			}
		})
	}()
	select {
	case <-begun:
	case <-done:
	case <-time.After(seedLead):
	}
	other, err := a.cfg.Model.Chat(ctx, two, func(model.Chunk) {})
	<-done
	if failed != nil {
		err = failed
	}
	if err != nil {
		return first, second, err
	}
	first.Usage, second.Usage = rep.Usage, other.Usage
	a.ledger.Done(first.Plan, rep.Usage) // learns how fast a cold prompt is read
	return first, second, nil
}

// judge says by what the main prompt cost, read again behind a sub-agent's, how
// many slots there are. Unknown is not two.
func (a *Agent) judge(u model.Usage) Slots {
	reused, known := a.ledger.Reuse(u)
	by := "by the server's count"
	if !u.CachedKnown {
		by = "by the time that it took"
	}
	switch {
	case !known:
		return Slots{Why: "the server does not say what it reuses, and no cold prompt has been timed yet"}
	case 2*reused >= u.Prompt:
		return Slots{Count: 2, Why: fmt.Sprintf("%d of %d tokens of the main prompt stayed while a sub-agent's was read, %s", reused, u.Prompt, by)}
	}
	return Slots{Count: 1, Why: fmt.Sprintf("%d of %d tokens of the main prompt were read again after a sub-agent's, %s", u.Prompt-reused, u.Prompt, by)}
}

// takeSlot gives a sub-agent's prompt a slot of its own before its first request,
// beside the main prompt's. A failure costs nothing but the main prompt's cache.
func (t *turn) takeSlot(ctx context.Context) {
	a := t.a
	if !a.cfg.WarmUp || !a.unseeded(t.c) || a.spare(ctx) != "" {
		return
	}
	// The turn that handed the work out may still run.
	ctx, done := a.coolable(ctx, 2)
	if done == nil {
		return
	}
	defer done()
	s, c, err := a.main(ctx)
	if err != nil || c.info.Name != t.c.info.Name || c.numCtx != t.c.numCtx {
		return // no slot to save: another model is another cache
	}
	main, err := a.prefill(ctx, c, s)
	if err != nil {
		return
	}
	// The turn's own request tells whatever is wrong with the server.
	_ = a.seed(ctx, c, model.Sub, main, a.filling(t.c, t.prefix.System, t.prefix.Offers, nil))
}

// main is the agent's own conversation that was used last, with its model.
func (a *Agent) main(ctx context.Context) (*session.Session, choice, error) {
	a.mu.Lock()
	id := a.talked
	a.mu.Unlock()
	s, err := a.session(id)
	if err != nil {
		return nil, choice{}, err
	}
	c, err := a.choose(ctx, s)
	return s, c, err
}

// subRequest is the request that fills a slot with what every sub-agent's prompt
// begins with.
func (a *Agent) subRequest(ctx context.Context, c choice) (model.Request, error) {
	f := form{mode: assembly.Minimal, tools: a.grantable()}
	files, err := a.given(ctx, a.about(SessionOf(a.cfg.ID, subPrefix), subRun), a.files(f))
	if err != nil {
		return model.Request{}, err
	}
	p, err := a.render(a.input(c, files, f))
	if err != nil {
		return model.Request{}, err
	}
	return a.filling(c, p.System, offers(p.Tools), nil), nil
}
