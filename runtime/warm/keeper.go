package warm

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"hardshell/runtime/model"
)

// worthReading is how many tokens must be missing from the cache before they are read
// ahead: fewer are read faster than a person types.
const worthReading = 256

// errTurnBegan is the cause of a reading ahead that a turn ended.
var errTurnBegan = errors.New("a turn began")

// Model drives a language model.
type Model interface {
	Chat(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error)
}

// Renderer shows a prompt as the model server's own template makes it. A Model may be
// one too.
type Renderer interface {
	Render(ctx context.Context, q model.Request) (string, error)
}

// Conversation is one conversation of the agent, with the model that it talks to.
type Conversation struct {
	Model   string // as the server names it
	NumCtx  int    // its window, in tokens
	Reserve int    // what of the window is kept for the reply, in tokens
	// Tidy makes room in a conversation that nearly fills its window.
	Tidy func(context.Context) error
	// Fill gives the request that has the server read the conversation as it stands,
	// FillSub the one with what every sub-agent's prompt begins with. Both generate one
	// token.
	Fill, FillSub func(context.Context) (model.Request, error)
}

// Config is what a Keeper is made of.
type Config struct {
	On      bool // read ahead of need at all (model.warm_up)
	SubSlot bool // seed a slot for sub-agents before there is one (model.sub_slot)
	Model   Model
	Lane    *model.Lane
	Ledger  *model.Ledger
	// Open gives one of the agent's own conversations by the id of its session.
	Open func(ctx context.Context, session string) (Conversation, error)
	// Turns is how many turns of the agent run now.
	Turns func() int
	// Busy reports whether anybody else's turn runs; nil: there is nobody else.
	Busy func() bool
	// Spare says why nothing should be read ahead just now (heat, power), empty when
	// nothing is in the way. Nil: nothing ever is.
	Spare func(context.Context) string
	Now   func() time.Time
	Log   *slog.Logger
}

// Keeper keeps in the server's cache what an agent's next turn needs. Its methods may
// be called from any goroutine.
type Keeper struct {
	cfg  Config
	kick chan struct{} // holds one value when something may be due

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // ends the reading that runs, nil when none does
	spared  string                  // why nothing is read ahead now, empty when it is
	failing failure
	last    string // the agent's own session that was used last
	runner  runner
}

// New makes a Keeper for an agent whose main session is named. It sends nothing.
func New(cfg Config, session string) *Keeper {
	return &Keeper{cfg: cfg, last: session, kick: make(chan struct{}, 1)}
}

// Kick has Idle look soon what is due: a turn ended, or a setting changed.
func (k *Keeper) Kick() {
	select {
	case k.kick <- struct{}{}:
	default: // it will look anyway
	}
}

// Used tells which of the agent's own sessions a turn is in.
func (k *Keeper) Used(session string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = session
}

// used is the conversation that was used last.
func (k *Keeper) used(ctx context.Context) (Conversation, error) {
	k.mu.Lock()
	session := k.last
	k.mu.Unlock()
	return k.cfg.Open(ctx, session)
}

// InTheWay says why nothing is read ahead now, empty when it is.
func (k *Keeper) InTheWay() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return cmp.Or(k.spared, k.failing.why)
}

// spare says why nothing should be read ahead now, and keeps it for InTheWay.
func (k *Keeper) spare(ctx context.Context) string {
	why := ""
	if k.cfg.Spare != nil {
		why = k.cfg.Spare(ctx)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if why != "" && k.spared == "" {
		k.cfg.Log.Warn("no warm-up", "why", why)
	}
	k.spared = why
	return why
}

// quiet does something with the model while nothing else goes on. It does nothing when
// a turn or another reading ahead runs. A turn that begins ends it at once; what the
// server has read by then stays read.
func (k *Keeper) quiet(ctx context.Context, do func(context.Context) error) error {
	ctx, done := k.begin(ctx, 0)
	if done == nil {
		return nil
	}
	defer done()
	err := do(ctx)
	if errors.Is(context.Cause(ctx), errTurnBegan) {
		return nil
	}
	return err
}

// begin gives a context that ends when a turn begins; done is nil when something is
// read ahead already, or when more than may turns run.
func (k *Keeper) begin(ctx context.Context, may int) (_ context.Context, done func()) {
	busy := may == 0 && k.cfg.Busy != nil && k.cfg.Busy()
	k.mu.Lock()
	defer k.mu.Unlock()
	// A turn counts before it calls Cool, so that one which Turns does not count yet
	// finds the cancel that is set here.
	if k.cancel != nil || busy || k.cfg.Turns() > may {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	k.cancel = cancel
	return ctx, func() {
		cancel(nil)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.cancel = nil
	}
}

// Cool ends a reading ahead that runs: the lane is wanted. A turn calls it after it
// counts in Turns.
func (k *Keeper) Cool() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancel != nil {
		k.cancel(errTurnBegan)
	}
}

// read has the server read the prefix and history of a conversation, so that a
// person's next word is answered from its cache. Nothing is stored: what a new session
// would get is read as it stands now, and is frozen only by its first turn. It does
// nothing when the ledger expects nearly all of it to be in the cache already.
func (k *Keeper) read(ctx context.Context, c Conversation) error {
	q, err := c.Fill(ctx)
	if err != nil {
		return err
	}
	plan := k.cfg.Ledger.Plan(q)
	if plan.Tokens-plan.Predicted < worthReading || plan.Tokens > c.NumCtx-c.Reserve {
		return nil
	}
	release, err := k.cfg.Lane.Acquire(ctx, model.Warmup, "warm-up")
	if err != nil {
		return err
	}
	defer release()
	rep, err := k.cfg.Model.Chat(ctx, q, func(model.Chunk) {})
	if err != nil {
		return err
	}
	if k.cfg.Ledger.Done(plan, rep.Usage).Fresh {
		k.forget()
	}
	return nil
}
