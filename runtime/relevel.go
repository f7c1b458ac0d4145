package runtime

import (
	"context"
	"fmt"

	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// relevel says what another level of thinking costs a conversation, as the server's
// own rendering has it: how much of what was read stands behind the first byte that
// the level moves. Nothing is said of what is read faster than a person types, nor
// when the server shows no rendering in time, as while it loads the model.
func (a *Agent) relevel(ctx context.Context, s *session.Session, was, now choice) []string {
	asked := model.ThinkFor(now.info, now.level)
	if model.ThinkFor(was.info, was.level) == asked {
		return nil
	}
	r, shows := a.cfg.Model.(Renderer)
	q, err := a.prefill(ctx, was, s)
	if !shows || err != nil {
		return now.levelled()
	}
	held, err := r.Render(ctx, q)
	if err != nil {
		return now.levelled()
	}
	q.Think = asked
	next, err := r.Render(ctx, q)
	if err != nil {
		return now.levelled()
	}
	kept := model.Shared(held, next)
	lost := a.ledger.Tokens(len(held) - kept)
	if lost < worthWarming {
		return nil
	}
	return []string{fmt.Sprintf("the template of %s writes the level behind byte %d of %d: the server reads about %d tokens anew once", now.info.Name, kept, len(held), lost)}
}

// levelled is what the model's family alone tells of a change.
func (c choice) levelled() []string {
	if !c.info.ThinksInLevels() {
		return nil
	}
	return []string{"the level stands at the front of its prompt, so the server reads the conversation anew once"}
}
