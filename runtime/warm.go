package runtime

import (
	"context"
	"errors"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

// Warm has the server read a session's prefix and history ahead of time, so that
// a person's next word is answered from a warm cache. It generates one token and
// stores nothing: what a new session would get is read as it stands now, and is
// frozen only by its first turn. A turn that begins ends it at once; what the
// server has read by then stays read.
//
// It does nothing when warm-up is off, when a turn or another warm-up runs, and
// when the ledger expects nearly all of it to be in the cache already.
func (a *Agent) Warm(ctx context.Context, id string) error {
	if !a.cfg.WarmUp {
		return nil
	}
	id = a.own(id)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.mu.Lock()
	if a.warming != nil || len(a.turns) > 0 {
		a.mu.Unlock()
		return nil
	}
	a.warming = cancel
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.warming = nil
		a.mu.Unlock()
	}()
	err := a.warm(ctx, id)
	if errors.Is(context.Cause(ctx), errCooled) {
		return nil
	}
	return err
}

// worthWarming is how many tokens must be missing from the cache before a warm-up
// is sent: fewer are read faster than a person types.
const worthWarming = 256

// errCooled is the cause of a warm-up that a turn ended.
var errCooled = errors.New("a turn began")

// Cool ends a warm-up that runs: the lane is wanted.
func (a *Agent) Cool() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.warming != nil {
		a.warming(errCooled)
	}
}

// warm sends the warm-up request.
func (a *Agent) warm(ctx context.Context, id string) error {
	s, err := a.session(id)
	if err != nil {
		return err
	}
	c, err := a.choose(ctx, s)
	if err != nil {
		return err
	}
	prefix, frozen := s.Frozen()
	if !frozen || prefix.Model != c.info.Name || prefix.NumCtx != c.numCtx {
		p, err := assembly.Render(a.input(c, a.files(whole), whole))
		if err != nil {
			return err
		}
		prefix.System, prefix.Offers = p.System, offers(p.Tools)
	}
	q := model.Request{
		Model: c.info.Name, Tools: prefix.Offers, NumCtx: c.numCtx, NumPredict: 1, Temperature: a.cfg.Temp, Think: model.ThinkFor(c.info, c.level),
		Messages: append([]message.Message{{Role: message.System, Text: prefix.System}}, s.Messages()...),
	}
	plan := a.ledger.Plan(q)
	if plan.Tokens-plan.Predicted < worthWarming || plan.Tokens > c.numCtx-a.predict(c) {
		return nil
	}
	release, err := a.lane.Acquire(ctx, model.Warmup, "warm-up")
	if err != nil {
		return err
	}
	defer release()
	rep, err := a.cfg.Model.Chat(ctx, q, func(model.Chunk) {})
	if err != nil {
		return err
	}
	a.ledger.Done(plan, rep.Usage)
	return nil
}
