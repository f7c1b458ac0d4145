package runtime

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
	"hardshell/runtime/warm"
	"hardshell/tools"
	"hardshell/tools/secret"
)

// Model drives a language model. *model.Client is one.
type Model interface {
	Chat(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error)
}

// Catalog tells which models the server has. *model.Client is one.
type Catalog interface {
	List(ctx context.Context) ([]model.Info, error)
	Show(ctx context.Context, name string) (model.Info, error)
	Running(ctx context.Context) ([]model.Loaded, error)
}

// Tools is the one door to the world. *tools.Registry is one.
type Tools interface {
	Specs() []tools.Spec
	Call(ctx context.Context, from tools.Origin, c tools.Call, say func(text string)) (tools.Result, error)
}

// Workspace reads the files that the prompt carries.
type Workspace interface {
	// Files gives every workspace file of the prompt, missing ones marked.
	Files() []assembly.File
}

// Jobs keeps the commands that run in the background. *tools.Jobs is one.
type Jobs interface {
	prompt.Background
	// EndSession ends what a session has running.
	EndSession(session string)
}

// Config is what an agent is made of. Every field is a value or an interface
// that the caller wires; the agent itself opens nothing.
type Config struct {
	ID        string // agent id, event.MainAgent unless named
	Host      assembly.Host
	Dir       string   // workspace folder, for the prompt
	Writable  []string // folders that may be written, for the prompt
	Repo      string   // root of the repository that Dir lies in, for the prompt; empty when none
	Zone      *time.Location
	Budget    assembly.Budget
	Limits    TurnLimits
	ModelName string // configured model; empty: the best one that the server has
	Think     string // how much it thinks: off (as when empty), low, medium, high
	Reasoning string // what is shown of it: off (as when empty), on, stream
	Aliases   []assembly.Alias
	NumCtx    int                 // configured window in tokens; 0: chosen from model and memory
	Memory    func() model.Memory // of the machine; nil: not known
	Server    string              // address of the model server, for what is kept of it
	Choices   model.Choices       // keeps which model and window were chosen; nil keeps nothing
	Confined  *assembly.Confined
	Commands  []string // the operator commands that exist, for the prompt
	Docs      string   // where the read tool finds the manual; empty when nowhere
	Skills    func() []assembly.Skill
	Knobs     assembly.Knobs
	Overlay   *assembly.Overlay // in place of the one of the model's family
	Hooks     []hooks.Hook      // programs of the operator that add to the prompt

	// Lane and Ledger are those of the model server. Agents that share them wait
	// for each other by priority and know what the others left in the cache; nil
	// gives the agent its own.
	Lane   *model.Lane
	Ledger *model.Ledger

	Model     Model
	Catalog   Catalog
	Tools     Tools
	Store     session.EntryStore
	Files     Workspace
	Approvals *approval.Broker
	Jobs      Jobs             // commands in the background; nil where there are none
	Redactor  *secret.Redactor // takes secret values out of all that is stored, shown or sent
	WarmUp    bool             // have the server read the prefix ahead of need (model.warm_up)
	SubSlot   bool             // seed a slot for sub-agents before there is one (model.sub_slot)
	// Spare says why nothing should be read ahead of need just now (heat, power);
	// empty when nothing is in the way. Nil: never anything.
	Spare func(context.Context) string
	// Health looks at the board, at once or nearly so; nil where there is none.
	Health func(context.Context) prompt.Health
	// HeatLimit is the soft limit of the board's temperatures, in degrees Celsius;
	// 0: none.
	HeatLimit int
	// Busy reports whether anybody else's turn is under way; nil: there is nobody
	// else.
	Busy func() bool
	Temp *float64 // sampling temperature; nil leaves it to the model
	Now  func() time.Time
	Log  *slog.Logger
}

// Agent holds the conversations of one agent and runs its turns.
type Agent struct {
	cfg    Config
	lane   *model.Lane
	ledger *model.Ledger

	tuned    atomic.Pointer[Tuning]
	last     atomic.Pointer[event.Usage] // of the turn that ended last, nil before
	queue    *turnQueue
	sessions *sessions
	models   *models
	prompts  *prompt.Maker
	compact  compactor
	warm     *warm.Keeper
	watch    *watchers
}

// New makes an agent. It touches neither the store nor the model.
func New(cfg Config) *Agent {
	if cfg.ID == "" {
		cfg.ID = event.MainAgent
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.redacted()
	if cfg.Lane == nil {
		cfg.Lane = model.NewLane()
	}
	if cfg.Ledger == nil {
		cfg.Ledger = model.NewLedger()
	}
	a := &Agent{cfg: cfg, lane: cfg.Lane, ledger: cfg.Ledger, queue: newTurnQueue(), models: newModels(cfg), watch: newWatchers()}
	a.sessions = &sessions{agent: cfg.ID, store: cfg.Store, runs: a.queue.runs, open: map[string]*opened{}}
	first := cfg.tuning()
	a.tuned.Store(&first)
	a.prompts = a.maker()
	a.compact = compactor{ledger: a.ledger, prompts: a.prompts, predict: func() int { return a.now().Limits.NumPredict }}
	a.warm = a.reader()
	return a
}

// Working reports whether a turn of this agent is under way.
func (a *Agent) Working() bool { return a.queue.count() > 0 }

// Stop ends the turn that runs in a session and reports whether there was one.
func (a *Agent) Stop(id string) bool { return a.queue.stop(a.sessions.own(id)) }

// Reset ends the turn that runs in a session and starts the session anew: an
// empty history and, with the next turn, a prompt from today's files. What was
// said before stays on record.
func (a *Agent) Reset(id string) error {
	id = a.sessions.own(id)
	a.queue.stop(id)
	s, err := a.sessions.get(id)
	if err != nil {
		return err
	}
	return s.Reset()
}

// SetPlan keeps the plan of a session, one line for each step; an empty one takes it
// away.
func (a *Agent) SetPlan(_ context.Context, id string, steps []string) error {
	s, err := a.sessions.get(a.sessions.own(id))
	if err != nil {
		return err
	}
	return prompt.SetPlan(s, steps)
}

// Close ends every running turn and whoever watches.
func (a *Agent) Close() {
	a.Unwatch()
	for _, id := range a.queue.sessions() {
		a.queue.stop(id)
	}
}

// maker is what makes this agent's prompts.
func (a *Agent) maker() *prompt.Maker {
	c := &a.cfg
	made := prompt.Config{
		ID: c.ID, Host: c.Host, Dir: c.Dir, Writable: c.Writable, Repo: c.Repo, Zone: c.Zone, Aliases: c.Aliases,
		Confined: c.Confined, Commands: c.Commands, Docs: c.Docs,
		Files: func() []assembly.File { return c.Files.Files() }, Specs: func() []tools.Spec { return c.Tools.Specs() },
		Health: c.Health, HeatLimit: c.HeatLimit, Redactor: c.Redactor, Now: c.Now,
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
