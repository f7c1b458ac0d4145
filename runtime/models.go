package runtime

import (
	"context"

	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// choose finds the model of a conversation (nil: of the agent): its own, the
// configured one, or the best that the server has. A failure is not kept, so that a
// server that comes up later is found by the next turn.
func (a *Agent) choose(ctx context.Context, s *session.Session) (prompt.Choice, error) {
	want := a.wanted(s)
	a.mu.Lock()
	c, known := a.chosen[want]
	a.mu.Unlock()
	if !known {
		var err error
		if c, err = a.look(ctx, want); err != nil {
			return prompt.Choice{}, a.missing(s, err)
		}
		a.mu.Lock()
		a.chosen[want] = c
		a.mu.Unlock()
	}
	c.Level = a.level(s)
	return c, nil
}

// look asks the server for a model; empty means the best one.
func (a *Agent) look(ctx context.Context, name string) (prompt.Choice, error) {
	c, err := a.chooser().Choose(ctx, name)
	return prompt.Choice{Choice: c}, err
}

// chooser settles on models and windows.
func (a *Agent) chooser() model.Chooser {
	return model.Chooser{Server: a.cfg.Server, Catalog: a.cfg.Catalog, Memory: a.cfg.Memory, NumCtx: a.cfg.NumCtx, Kept: a.cfg.Choices}
}
