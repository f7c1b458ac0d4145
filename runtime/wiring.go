package runtime

import (
	"context"

	"hardshell/assembly"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/warm"
	"hardshell/tools"
)

// maker is what makes this agent's prompts.
func (a *Agent) maker() *prompt.Maker {
	c := &a.cfg
	made := prompt.Config{
		ID: c.ID, Host: c.Host, Dir: c.Dir, Writable: c.Writable, Repo: c.Repo, Zone: c.Zone, Aliases: c.Aliases,
		Confined: c.Confined, Commands: c.Commands, Docs: c.Docs,
		Files: func() []assembly.File { return c.Files.Files() }, Specs: func() []tools.Spec { return c.Tools.Specs() },
		Health: c.Health, HeatLimit: c.HeatLimit, Redactor: c.Masker, Now: c.Now,
		Settings: func() prompt.Settings { return a.now().prompt() },
	}
	if c.Jobs != nil {
		made.Running = c.Jobs
	}
	return prompt.New(made)
}

// reader is what reads this agent's prompts ahead of need.
func (a *Agent) reader() *warm.Keeper {
	return warm.New(warm.Config{
		On: a.cfg.WarmUp, SubSlot: a.cfg.SubSlot, Model: a.cfg.Model, Lane: a.lane, Ledger: a.ledger,
		Open: a.ahead, Turns: a.queue.count, Busy: a.cfg.Busy, Spare: a.cfg.Spare, Now: a.cfg.Now, Log: a.cfg.Log,
	}, a.sessions.own(""))
}

// ahead is a conversation as it is read ahead of need.
func (a *Agent) ahead(ctx context.Context, id string) (warm.Conversation, error) {
	s, err := a.sessions.get(id)
	if err != nil {
		return warm.Conversation{}, err
	}
	c, err := a.models.choose(ctx, s)
	if err != nil {
		return warm.Conversation{}, err
	}
	return warm.Conversation{
		Model: c.Info.Name, NumCtx: c.NumCtx, Reserve: c.Reserve(a.now().Limits.NumPredict),
		Tidy:    func(ctx context.Context) error { return a.compact.tidy(ctx, s, c) },
		Fill:    func(ctx context.Context) (model.Request, error) { return a.prompts.Fill(ctx, c, s) },
		FillSub: func(ctx context.Context) (model.Request, error) { return a.prompts.FillSub(ctx, c) },
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
