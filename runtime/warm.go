package runtime

import (
	"context"
	"errors"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// worthWarming is how many tokens must be missing from the cache before a warm-up
// is sent: fewer are read faster than a person types.
const worthWarming = 256

// errCooled is the cause of a warm-up that a turn ended.
var errCooled = errors.New("a turn began")

// quiet does something of the runtime's own with the model while nothing else goes
// on; it does nothing when a turn or another one of its kind runs. A turn that
// begins ends it at once; what the server has read by then stays read.
func (a *Agent) quiet(ctx context.Context, do func(context.Context) error) error {
	ctx, done := a.coolable(ctx, 0)
	if done == nil {
		return nil
	}
	defer done()
	err := do(ctx)
	if errors.Is(context.Cause(ctx), errCooled) {
		return nil
	}
	return err
}

// coolable gives a context that ends when a turn begins; done is nil when there is
// one already, or when more turns run than may.
func (a *Agent) coolable(ctx context.Context, may int) (_ context.Context, done func()) {
	busy := may == 0 && a.cfg.Busy != nil && a.cfg.Busy()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.warming != nil || len(a.turns) > may || busy {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	a.warming = cancel
	return ctx, func() {
		cancel(nil)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.warming = nil
	}
}

// Cool ends a warm-up that runs: the lane is wanted.
func (a *Agent) Cool() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.warming != nil {
		a.warming(errCooled)
	}
}

// warm has the server read the prefix and history of the session that was used
// last, so that a person's next word is answered from a warm cache. It generates
// one token and stores nothing: what a new session would get is read as it stands
// now, and is frozen only by its first turn. It does nothing when the ledger expects
// nearly all of it to be in the cache already.
func (a *Agent) warm(ctx context.Context, c choice, s *session.Session) error {
	q, err := a.prefill(ctx, c, s)
	if err != nil {
		return err
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
	if a.ledger.Done(plan, rep.Usage).Fresh {
		a.unseed()
	}
	return nil
}

// prefill is the request that fills a slot with a session as it stands.
func (a *Agent) prefill(ctx context.Context, c choice, s *session.Session) (model.Request, error) {
	prefix, frozen := s.Frozen()
	if !frozen || prefix.Model != c.info.Name || prefix.NumCtx != c.numCtx {
		files, err := a.given(ctx, a.about(s.ID(), string(assembly.Chat)), a.files(whole))
		if err != nil {
			return model.Request{}, err
		}
		p, err := a.render(a.input(c, files, whole))
		if err != nil {
			return model.Request{}, err
		}
		prefix.System, prefix.Offers = p.System, offers(p.Tools)
	}
	return a.filling(c, prefix.System, prefix.Offers, s.Messages()), nil
}

// filling is a request that generates one token.
func (a *Agent) filling(c choice, system string, ts []message.Offer, history []message.Message) model.Request {
	return model.Request{
		Model: c.info.Name, Tools: ts, NumCtx: c.numCtx, NumPredict: 1, Temperature: a.now().Temp, Think: model.ThinkFor(c.info, c.level), Enveloped: c.info.Enveloped(),
		Messages: append([]message.Message{{Role: message.System, Text: system}}, history...),
	}
}
