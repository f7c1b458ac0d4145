package runtime

import (
	"context"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
	"hardshell/runtime/warm"
)

// reader is what reads this agent's prompts ahead of need.
func (a *Agent) reader() *warm.Keeper {
	return warm.New(warm.Config{
		On: a.cfg.WarmUp, SubSlot: a.cfg.SubSlot, Model: a.cfg.Model, Lane: a.lane, Ledger: a.ledger,
		Open: a.ahead, Turns: a.underWay, Busy: a.cfg.Busy, Spare: a.cfg.Spare, Now: a.cfg.Now, Log: a.cfg.Log,
	}, a.own(""))
}

// ahead is a conversation as it is read ahead of need.
func (a *Agent) ahead(ctx context.Context, id string) (warm.Conversation, error) {
	s, err := a.session(id)
	if err != nil {
		return warm.Conversation{}, err
	}
	c, err := a.choose(ctx, s)
	if err != nil {
		return warm.Conversation{}, err
	}
	return warm.Conversation{
		Model: c.info.Name, NumCtx: c.numCtx, Reserve: a.predict(c),
		Tidy:    func(ctx context.Context) error { return a.tidy(ctx, s, c) },
		Fill:    func(ctx context.Context) (model.Request, error) { return a.prefill(ctx, c, s) },
		FillSub: func(ctx context.Context) (model.Request, error) { return a.subRequest(ctx, c) },
	}, nil
}

// Idle has the server hold what the next turn needs, while nobody talks, until ctx
// ends; see warm.Keeper.
func (a *Agent) Idle(ctx context.Context, session string) { a.warm.Idle(ctx, session) }

// Tend does what is due ahead of need, once, and reports whether something was in the
// way.
func (a *Agent) Tend(ctx context.Context) (again bool) { return a.warm.Tend(ctx) }

// Cool ends a reading ahead of need that runs: the lane is wanted.
func (a *Agent) Cool() { a.warm.Cool() }

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
		Model: c.info.Name, Tools: ts, NumCtx: c.numCtx, NumPredict: 1, Temperature: a.now().Temp, Think: c.think(), Enveloped: c.info.Enveloped(),
		Messages: append([]message.Message{{Role: message.System, Text: system}}, history...),
	}
}

// subRequest is the request that fills a slot with what every sub-agent's prompt
// begins with.
func (a *Agent) subRequest(ctx context.Context, c choice) (model.Request, error) {
	f := form{mode: assembly.Minimal, tools: a.grantable()}
	files, err := a.given(ctx, a.about(session.Of(a.cfg.ID, session.SubPrefix), subRun), a.files(f))
	if err != nil {
		return model.Request{}, err
	}
	p, err := a.render(a.input(c, files, f))
	if err != nil {
		return model.Request{}, err
	}
	return a.filling(c, p.System, offers(p.Tools), nil), nil
}
