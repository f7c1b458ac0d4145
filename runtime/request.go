package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/reply"
)

// request sends the session as it stands and streams the reply to the person.
func (t *turn) request(ctx context.Context) (read, error) {
	release, err := t.a.lane.Acquire(ctx, priority(t.ask.Run), t.ask.Session)
	if err != nil {
		return read{}, err
	}
	defer release()
	q := model.Request{
		Model: t.c.Info.Name, Messages: t.messages(), Tools: t.prefix.Offers,
		NumCtx: t.c.NumCtx, NumPredict: t.c.Reserve(t.a.now().Limits.NumPredict), Temperature: t.a.now().Temp,
		Think: t.c.Think(), Tagged: t.tagged(), Enveloped: t.c.Info.Enveloped(),
	}
	if q.Held = t.held; t.calm {
		q.Think = model.ThinkFor(t.c.Info, off)
	}
	t.calm, t.held = false, false
	plan := t.a.ledger.Plan(q)
	shown := t.rules().Filter(t.text, t.chunk)
	rep, err := t.a.cfg.Model.Chat(ctx, q, func(c model.Chunk) { t.stream(shown, c) })
	out := t.read(rep, t.count(plan, rep))
	if err != nil {
		if kept := t.keepPartial(rep, shown); kept != nil {
			return read{}, errors.Join(err, kept)
		}
		return read{}, err
	}
	shown.End(out.msg.Text, len(out.calls) > 0 || len(out.unknown) > 0)
	t.files = append(t.files, shown.Files()...)
	return out, nil
}

// rules say how this turn's replies are filtered.
func (t *turn) rules() reply.Rules {
	return reply.RulesOf(t.ask.Run, t.a.now().Knobs.ReplyTags, t.show)
}

// stream takes the next piece of a reply.
func (t *turn) stream(to *reply.Filter, c model.Chunk) {
	if c.Phase != "" {
		t.chunk(event.Chunk{Phase: c.Phase})
	}
	to.Thinking(c.Thinking)
	to.Text(c.Text)
}

// keepPartial stores what a broken stream gave, marked as cut, so that neither
// the person nor the next turn loses it.
func (t *turn) keepPartial(rep model.Reply, shown *reply.Filter) error {
	m := rep.Message
	m.Calls = nil // a half-received call is no call
	if strings.TrimSpace(m.Text) == "" {
		return nil
	}
	shown.Break()
	if m.Cut == "" {
		m.Cut = "interrupted"
	}
	m.Role = message.Assistant
	return t.keep(m)
}

// messages is the whole conversation as it is sent.
func (t *turn) messages() []message.Message {
	return slices.Concat([]message.Message{{Role: message.System, Text: t.prefix.System}}, t.s.Messages(), t.loose)
}
