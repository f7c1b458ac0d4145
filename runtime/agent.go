package runtime

import (
	"context"
	"log/slog"
	"sync"
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
	Budget    assembly.Limits
	Limits    Limits
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
	Store     session.Store
	Files     Workspace
	Approvals *approval.Desk
	Jobs      Jobs             // commands in the background; nil where there are none
	Masker    *secret.Redactor // takes secret values out of all that is stored, shown or sent
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

	tuned atomic.Pointer[Tuning]

	mu       sync.Mutex
	chosen   map[string]prompt.Choice // models by the name that was asked for, once known
	sessions map[string]*opened
	recent   []string            // their ids, the one used last at the end
	turns    map[string]*running // session → the turn that runs in it
	waits    func()              // what is to be done when none runs
	persons  map[string]int      // session → persons who wait for their turn
	moved    chan struct{}       // closed when a turn begins or ends
	last     event.Usage

	prompts *prompt.Maker
	warm    *warm.Keeper
	watch   watchers
}

// running is a turn that runs now.
type running struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
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
	cfg.discreetly()
	if cfg.Lane == nil {
		cfg.Lane = model.NewLane()
	}
	if cfg.Ledger == nil {
		cfg.Ledger = model.NewLedger()
	}
	a := &Agent{
		cfg: cfg, lane: cfg.Lane, ledger: cfg.Ledger,
		chosen: map[string]prompt.Choice{}, sessions: map[string]*opened{}, turns: map[string]*running{},
		persons: map[string]int{}, moved: make(chan struct{}), watch: watchers{gone: make(chan struct{})},
	}
	first := cfg.tuning()
	a.tuned.Store(&first)
	a.prompts = a.maker()
	a.warm = a.reader()
	return a
}

// begin waits until no turn runs in a session and marks this one as running. While a
// person waits, nobody else goes first.
func (a *Agent) begin(ctx context.Context, id string, person bool, cancel context.CancelCauseFunc) (*running, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if person {
		a.persons[id]++
		defer func() {
			if a.persons[id]--; a.persons[id] == 0 {
				delete(a.persons, id)
			}
		}()
	}
	for a.turns[id] != nil || !person && a.persons[id] > 0 {
		moved := a.moved
		a.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			a.mu.Lock()
			a.move()
			return nil, context.Cause(ctx)
		}
		a.mu.Lock()
	}
	r := &running{cancel: cancel, done: make(chan struct{})}
	a.turns[id] = r
	a.move()
	return r, nil
}

// move tells whoever waits for a turn to look again.
func (a *Agent) move() {
	close(a.moved)
	a.moved = make(chan struct{})
}

// finish ends what begin began.
func (a *Agent) finish(id string, r *running) {
	a.mu.Lock()
	delete(a.turns, id)
	a.betweenTurns()
	a.move()
	a.mu.Unlock()
	close(r.done)
	a.warm.Kick()
}

// Working reports whether a turn of this agent is under way.
func (a *Agent) Working() bool { return a.underWay() > 0 }

// underWay is how many turns of this agent are under way.
func (a *Agent) underWay() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.turns)
}

// errStopped is the cause of a turn that a person stopped.
var errStopped = &event.Problem{Code: "stopped", Message: "stopped by a person", Hint: "what was said so far is kept; ask again to go on"}

// Stop ends the turn that runs in a session and reports whether there was one.
func (a *Agent) Stop(id string) bool {
	id = a.own(id)
	a.mu.Lock()
	r := a.turns[id]
	a.mu.Unlock()
	if r == nil {
		return false
	}
	r.cancel(errStopped)
	<-r.done
	return true
}

// Reset ends the turn that runs in a session and starts the session anew: an
// empty history and, with the next turn, a prompt from today's files. What was
// said before stays on record.
func (a *Agent) Reset(id string) error {
	id = a.own(id)
	a.Stop(id)
	s, err := a.session(id)
	if err != nil {
		return err
	}
	return s.Reset()
}

// Close ends every running turn and whoever watches.
func (a *Agent) Close() {
	a.Unwatch()
	a.mu.Lock()
	ids := make([]string, 0, len(a.turns))
	for id := range a.turns {
		ids = append(ids, id)
	}
	a.mu.Unlock()
	for _, id := range ids {
		a.Stop(id)
	}
}
