package warm

import (
	"context"
	"fmt"

	"hardshell/runtime/model"
)

// LevelCost says what another level of thinking costs a conversation, as the server's
// own rendering has it: how much of what was read stands behind the first byte that
// the level changes. fill gives the request with the level so far, and next is what is
// asked of the thinking from now on. It says nothing where that is the same, and nothing
// of what is read faster than a person types. Where the server shows no rendering in
// time, as while it loads the model, the model's family alone says it.
func (k *Keeper) LevelCost(ctx context.Context, of model.Info, was, next model.Think, fill func(context.Context) (model.Request, error)) []string {
	if was == next {
		return nil
	}
	r, shows := k.cfg.Model.(Renderer)
	if !shows {
		return byFamily(of)
	}
	q, err := fill(ctx)
	if err != nil {
		return byFamily(of)
	}
	held, err := r.Render(ctx, q)
	if err != nil {
		return byFamily(of)
	}
	q.Think = next
	now, err := r.Render(ctx, q)
	if err != nil {
		return byFamily(of)
	}
	kept := model.Shared(held, now)
	lost := k.cfg.Ledger.Tokens(len(held) - kept)
	if lost < worthReading {
		return nil
	}
	return []string{fmt.Sprintf("the template of %s writes the level behind byte %d of %d: the server reads about %d tokens anew once", of.Name, kept, len(held), lost)}
}

// byFamily is what the model's family alone tells of a change.
func byFamily(of model.Info) []string {
	if !of.ThinksInLevels() {
		return nil
	}
	return []string{"the level stands at the front of its prompt, so the server reads the conversation anew once"}
}
