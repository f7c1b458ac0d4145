package prompt

import (
	"context"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// Fill is the request that has the server read a session as it stands: what a session
// without a prefix would get is made from today's files, and frozen by its first turn
// only.
func (m *Maker) Fill(ctx context.Context, c Chosen, s *session.Session) (model.Request, error) {
	prefix, frozen := s.Frozen()
	if frozen && prefix.Model == c.Info.Name && prefix.NumCtx == c.NumCtx {
		return m.Request(c, prefix.System, prefix.Offers, s.Messages()), nil
	}
	return m.today(ctx, c, Whole(), s.ID(), string(assembly.Chat), s.Messages())
}

// FillSub is the request that has the server read what every sub-agent's prompt begins
// with.
func (m *Maker) FillSub(ctx context.Context, c Chosen) (model.Request, error) {
	return m.today(ctx, c, m.ForSub(), session.Of(m.cfg.ID, session.SubPrefix), SubRun, nil)
}

// today is the request that has the server read a prompt of today's files.
func (m *Maker) today(ctx context.Context, c Chosen, f Form, id, run string, history []message.Message) (model.Request, error) {
	files, err := m.given(ctx, m.About(id, run), m.Files(f))
	if err != nil {
		return model.Request{}, err
	}
	p, err := m.render(m.input(c, files, f))
	if err != nil {
		return model.Request{}, err
	}
	return m.Request(c, p.System, offers(p.Tools), history), nil
}

// Request is a request that generates one token.
func (m *Maker) Request(c Chosen, system string, ts []message.Offer, history []message.Message) model.Request {
	return model.Request{
		Model: c.Info.Name, Tools: ts, NumCtx: c.NumCtx, NumPredict: 1, Temperature: m.cfg.Settings().Temp, Think: c.Think(), Enveloped: c.Info.Enveloped(),
		Messages: append([]message.Message{{Role: message.System, Text: system}}, history...),
	}
}
