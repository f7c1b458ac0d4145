package warm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

const (
	// seedHold is how many tokens the main prompt's seed generates at most, so that
	// it still has its slot when the other seed arrives.
	seedHold = 32
	// seedLead is when the main prompt has its slot for certain, also when it is still
	// being read and nothing has come of it.
	seedLead = 100 * time.Millisecond
	// seedRead is how long a prompt must be read to hold its slot until the other seed
	// arrives.
	seedRead = 500 * time.Millisecond
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

// runner is what is known of the slots of one runner of the server: it holds for one
// model and window, until that runner is gone.
type runner struct {
	Slots
	model  string
	numCtx int
	tries  int
	// perToken is the slowest reading of a prompt while it was seeded, by its tokens.
	perToken time.Duration
}

// Slots tells what was found out about the slots of the server.
func (k *Keeper) Slots() Slots {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.runner.Slots
}

// unseeded reports whether a seeding may find something out about the server that
// has a choice.
func (k *Keeper) unseeded(c Conversation) bool {
	known := k.runnerOf(c)
	return known.tries == 0 || known.Count == 0 && known.tries < seedTries
}

// runnerOf is what is known of the slots of the runner that serves a conversation now.
func (k *Keeper) runnerOf(c Conversation) runner {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.runner.model != c.Model || k.runner.numCtx != c.NumCtx {
		return runner{}
	}
	return k.runner
}

// lowReuse is how many times in a row the server must have read anew what it should
// have held, by its time alone, before its slots count as not known: one time may come
// of a busy board.
const lowReuse = 2

// Saw takes what a request of a turn taught. What was found out about the slots is
// forgotten when the runner is another one, or when the server read again what it
// should have held.
func (k *Keeper) Saw(o model.Outcome) {
	if o.Fresh || k.Slots().Count == 2 && o.Low > 0 && (o.Known || o.Low >= lowReuse) {
		k.forget()
	}
}

// forget forgets what was found out about the slots.
func (k *Keeper) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runner = runner{}
}

// seedBoth seeds the slots of the main prompt and of any sub-agent's.
func (k *Keeper) seedBoth(ctx context.Context, c Conversation) error {
	main, err := c.Fill(ctx)
	if err != nil {
		return err
	}
	sub, err := c.FillSub(ctx)
	if err != nil {
		return err
	}
	return k.seed(ctx, c, model.Warmup, main, sub)
}

// seed gives the main prompt and a sub-agent's one slot each and finds out whether
// the server keeps them apart. A server puts a request into the free slot with the
// longest common prefix, and every prompt shares its first tokens with every other:
// so the second one is sent while the first still has its slot. Then both are read
// once more, since a server that has to load its model first may turn their order
// round: two slots are found only where both cost next to nothing.
//
// The main prompt goes first: where it is cached already it need not be read again.
// Then it has its slot only as long as the model goes on answering, and one that
// answers in no time proves nothing. So the next try begins with the sub-agent's
// prompt, which has to be read and holds its slot for as long; that costs the main
// prompt's cache once. Of a model that reads even that in no time, it is made longer.
//
// The two requests at once are the one exception to one request at a time; the lane
// is held for them.
func (k *Keeper) seed(ctx context.Context, c Conversation, p model.Priority, main, sub model.Request) error {
	release, err := k.cfg.Lane.Acquire(ctx, p, "slot seeding")
	if err != nil {
		return err
	}
	defer release()
	known := k.runnerOf(c)
	one, two := held(main), sub
	if known.tries > 0 {
		one, two = k.longer(sub, known.perToken), main
	}
	first, second, err := k.atOnce(ctx, one, two)
	if err != nil {
		return err
	}
	known.perToken = max(known.perToken, perTokenOf(first), perTokenOf(second))
	found, err := k.apart(ctx, main, sub, first, second)
	if err != nil {
		return err
	}
	known.tries++
	if found.Count == 1 && first.Output < seedHold && known.tries < seedTries {
		found = Slots{Why: "the model ended too soon to tell: " + found.Why}
	}
	known.Slots, known.model, known.numCtx = found, c.Model, c.NumCtx
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runner = known
	k.cfg.Log.Info("slots", "count", found.Count, "why", found.Why)
	return nil
}

// apart reads both prompts once more and tells whether the server kept them apart: by
// its own count, else by trials. However it ends, the main prompt is in a slot.
func (k *Keeper) apart(ctx context.Context, main, sub model.Request, before ...model.Usage) (found Slots, err error) {
	prompts, last := [2]model.Request{main, sub}, [2]model.Sent{}
	newest := mainPrompt
	read := func(which int) (u model.Usage, err error) {
		last[which], err = k.readAgain(ctx, prompts[which])
		newest = which
		return last[which].Usage, err
	}
	u, err := read(mainPrompt)
	if err != nil {
		return Slots{}, err
	}
	if !u.CachedKnown {
		found, err = trials(u, read, before...)
	} else if found = counted(u, mainPrompt); found.Count == 2 {
		if u, err = read(subPrompt); err == nil && counted(u, subPrompt).Count != 2 {
			found = counted(u, subPrompt)
		}
	}
	if err != nil {
		return Slots{}, err
	}
	if found.Count == 2 {
		k.cfg.Ledger.Settle(last[mainPrompt], last[subPrompt])
		return found, nil
	}
	if newest != mainPrompt {
		if _, err = read(mainPrompt); err != nil {
			return Slots{}, err
		}
	}
	k.cfg.Ledger.Settle(last[mainPrompt])
	return found, nil
}

// readAgain has the server read a prompt, for what that costs and to leave it there.
func (k *Keeper) readAgain(ctx context.Context, q model.Request) (model.Sent, error) {
	plan := k.cfg.Ledger.Plan(q)
	rep, err := k.cfg.Model.Chat(ctx, q, func(model.Chunk) {})
	return model.Sent{Plan: plan, Usage: rep.Usage}, err
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

// longer is a request that keeps its slot for seedRead by being read, as far as an
// eighth of the window goes: with a message behind it, which begins as no other does.
func (k *Keeper) longer(q model.Request, perToken time.Duration) model.Request {
	q.NumPredict = seedHold
	if perToken <= 0 {
		return q
	}
	tokens := min(int(seedRead/perToken), q.NumCtx/8)
	if k.cfg.Ledger.Plan(q).Tokens >= tokens {
		return q
	}
	text := fmt.Sprint(k.cfg.Now().UnixNano(), strings.Repeat(" wait", tokens))
	q.Messages = append(slices.Clone(q.Messages), message.Message{Role: message.User, Text: text})
	return q
}

// atOnce sends the second request while the first one is still at work, and tells
// what both cost.
func (k *Keeper) atOnce(ctx context.Context, one, two model.Request) (first, second model.Usage, err error) {
	var rep model.Reply
	var failed error
	begun, done := make(chan struct{}), make(chan struct{})
	var once sync.Once
	plan := k.cfg.Ledger.Plan(one)
	go func() {
		defer close(done)
		rep, failed = k.cfg.Model.Chat(ctx, one, func(c model.Chunk) {
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
	other, err := k.cfg.Model.Chat(ctx, two, func(model.Chunk) {})
	<-done
	if failed != nil {
		err = failed
	}
	if err == nil {
		k.cfg.Ledger.Done(plan, rep.Usage) // learns how fast a cold prompt is read
	}
	return rep.Usage, other.Usage, err
}

// counted says by the server's count of one prompt, read again behind the other, how
// many slots there are.
func counted(u model.Usage, which int) Slots {
	if 2*u.Cached >= u.Prompt {
		return Slots{Count: 2, Why: fmt.Sprintf("by the server's count, %d of %d tokens of %s stayed while the other one was read", u.Cached, u.Prompt, promptNames[which])}
	}
	return Slots{Count: 1, Why: fmt.Sprintf("by the server's count, %d of %d tokens of %s were read again after the other one", u.Prompt-u.Cached, u.Prompt, promptNames[which])}
}

// TakeSlot gives a sub-agent's prompt a slot of its own before its first request,
// beside the main prompt's. sub is the request that fills it. A failure costs nothing
// but the main prompt's cache.
func (k *Keeper) TakeSlot(ctx context.Context, sub model.Request) {
	own := Conversation{Model: sub.Model, NumCtx: sub.NumCtx}
	if !k.cfg.On || !k.unseeded(own) || k.spare(ctx) != "" {
		return
	}
	// The turn that handed the work out may still run.
	ctx, done := k.begin(ctx, 2)
	if done == nil {
		return
	}
	defer done()
	c, err := k.used(ctx)
	if err != nil || c.Model != own.Model || c.NumCtx != own.NumCtx {
		return // no slot to save: another model is another cache
	}
	main, err := c.Fill(ctx)
	if err != nil {
		return
	}
	// The turn's own request tells whatever is wrong with the server.
	_ = k.seed(ctx, c, model.Sub, main, sub)
}
