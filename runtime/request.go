package runtime

import (
	"context"
	"errors"

	"hardshell/runtime/event"
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
		Model: t.c.Info.Name, Messages: t.journal.messages(t.prefix.System), Tools: t.prefix.Offers,
		NumCtx: t.c.NumCtx, NumPredict: t.reserve(), Temperature: t.a.now().Temp,
		Think: t.c.Think(), Tagged: t.tagged(), Enveloped: t.c.Info.Enveloped(),
	}
	if q.Held = t.held; t.calm {
		q.Think = model.ThinkFor(t.c.Info, off)
	}
	t.calm, t.held = false, false
	plan := t.a.ledger.Plan(q)
	shown := t.rules().Filter(t.out.text, t.out.chunk)
	rep, err := t.a.cfg.Model.Chat(ctx, q, func(c model.Chunk) { t.stream(shown, c) })
	out := t.read(rep, t.cost.count(plan, rep))
	if err != nil {
		if kept := t.journal.keepPartial(rep, shown); kept != nil {
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
		t.out.chunk(event.Chunk{Phase: c.Phase})
	}
	to.Thinking(c.Thinking)
	to.Text(c.Text)
}
