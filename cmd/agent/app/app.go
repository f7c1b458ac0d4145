package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"hardshell/assembly"
	"hardshell/hw"
	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/store"
	"hardshell/tools"
	"hardshell/tools/secret"
)

// Environment are what agents need besides their config.
type Environment struct {
	Getenv   func(string) string
	Commands []string          // that a person can type, for the prompt
	Tell     func(event.Event) // takes what a person should know of start and end
	Log      *slog.Logger
	// Private says that no other process is served: for a command that looks and ends,
	// so that nobody comes to depend on it.
	Private bool
	// Look says that the state folder is read and not changed, so that any number of
	// processes can do it at once. Such agents answer questions and do nothing.
	Look bool
}

// Ready is agents of which everything is known to be in order but the store.
type Ready struct {
	cfg   config.Config
	parts *parts
}

// Prepare reads and checks everything that can be wrong before the store is touched.
// The error is an *OtherOwner where the store is another user's.
func Prepare(cfg config.Config, o Environment) (*Ready, error) {
	if other := OtherOwnerOf(cfg.State); other != nil {
		return nil, other
	}
	parts, err := gather(cfg, o)
	if err != nil {
		return nil, err
	}
	return &Ready{cfg, parts}, nil
}

// Start takes the store and serves the agents: on the socket, unless they are private.
// The error is store.Busy when another process holds the store and did not let go
// within wait; it may be tried again then.
func (p *Ready) Start(ctx context.Context, wait time.Duration) (*App, error) {
	// A start makes little garbage and a person waits for it: collecting begins
	// with the agent's life.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	open := store.Open
	if p.parts.Look {
		open = store.Look
	}
	st, err := open(p.cfg.State, store.Options{LockWait: wait})
	if err != nil {
		return nil, err
	}
	p.parts.store, p.parts.values = st, st.Values
	if p.parts.Look {
		p.parts.values = newScratch(st.Values)
	}
	agents, err := p.parts.build(ctx, p.cfg)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	a := agents.serve(ctx, Socket(p.cfg), p.parts.Environment)
	for _, n := range slices.Concat(agents.notices, st.Notices()) {
		p.parts.Tell(event.Event{Kind: event.Warning, Time: time.Now(), Notice: &n})
	}
	return a, nil
}

// parts is what agents are built from, once it is known to be in order: what all
// of them share, and each one's own.
type parts struct {
	Environment
	host    assembly.Host
	board   hw.Board // nil where there is none
	zone    *time.Location
	policy  *policy.Policy
	masker  *secret.Redactor
	model   modelServer
	agents  []*spec
	store   *store.Store
	values  values
	uses    *tools.Uses // of rules with a rate, by every agent
	notices []event.Notice
}

// modelServer is what an agent needs of a model server.
type modelServer interface {
	runtime.Model
	runtime.Catalog
}

// gather reads and checks everything that can be wrong before the store is
// touched, so that a command line that can't work leaves nothing behind.
func gather(cfg config.Config, o Environment) (*parts, error) {
	p := &parts{Environment: o, notices: Warnings(cfg), zone: Zone(cfg.Zone, o.Getenv)}
	var err error
	if p.host, p.board, err = this.host(cfg); err != nil {
		return nil, err
	}
	var builtin *event.Notice
	if p.policy, builtin, err = LoadPolicy(cfg); err != nil {
		return nil, err
	}
	if builtin != nil {
		p.notices = append(p.notices, *builtin)
	}
	if err := p.usualWorkspace(cfg); err != nil {
		return nil, err
	}
	if p.model, err = NewModel(cfg); err != nil {
		return nil, err
	}
	for _, id := range cfg.AgentIDs() {
		l, err := p.specOf(cfg, id)
		if err != nil {
			return nil, err
		}
		p.agents = append(p.agents, l)
	}
	p.masker = secret.New(Secrets(cfg, o.Getenv))
	return p, nil
}

// notice keeps a warning for status and for whoever started the agent.
func (p *parts) notice(n event.Notice) { p.notices = append(p.notices, n) }

// usualWorkspace makes the usual workspace folder where nobody named one, so that
// a first run needs no preparation. A folder that somebody named must be there.
func (p *parts) usualWorkspace(cfg config.Config) error {
	if cfg.From["workspace"] != "" {
		return nil
	}
	if _, err := os.Stat(cfg.Workspace); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(cfg.Workspace, 0o755); err != nil {
		return event.Errorf("workspace", "name a folder with --workspace", "the workspace can't be made: %v", err)
	}
	p.notice(event.Notice{
		Code: "workspace_made", Message: "made an empty workspace, " + cfg.Workspace, Hint: "agent init fills it with the files that an agent reads",
	})
	return nil
}

// Warnings tell of settings that are in order and worth a second look, and of those
// that this version reads and does not act on; never nil.
func Warnings(cfg config.Config) []event.Notice {
	out := []event.Notice{}
	for _, w := range cfg.Warnings {
		out = append(out, event.Notice{Code: "config", Message: w.Message, Hint: w.Hint})
	}
	if cfg.Gateway.Listen != "" {
		out = append(out, event.Notice{
			Code: "no_console", Message: fmt.Sprintf("gateway.listen = %q has no effect: this version serves its unix socket only", cfg.Gateway.Listen),
			Hint: "use agent chat, over ssh where the board is elsewhere",
		})
	}
	return out
}

// Secrets are the values to mask.
func Secrets(cfg config.Config, getenv func(string) string) []secret.Named {
	var out []secret.Named
	for _, n := range cfg.Secrets.Names {
		if v := getenv(n); v != "" {
			out = append(out, secret.Named{Name: n, Value: v})
		}
	}
	for _, v := range cfg.Secrets.Values {
		out = append(out, secret.Named{Value: v})
	}
	return out
}

// NewModel gives the client of the configured model server.
func NewModel(cfg config.Config) (*model.Client, error) {
	return model.New(model.Config{
		Host: cfg.Model.Host, KeepAlive: time.Duration(cfg.Model.KeepAlive), Connect: time.Duration(cfg.Model.ConnectTimeout),
		FirstByte: time.Duration(cfg.Model.FirstByteTimeout), Idle: time.Duration(cfg.Model.IdleTimeout), Defuse: assembly.HarmlessMessage,
	})
}

// build puts the parts together. Nothing is started yet.
func (p *parts) build(ctx context.Context, cfg config.Config) (*service, error) {
	broker, err := approval.Open(time.Now, p.values)
	if err != nil {
		return nil, err
	}
	if !p.Look {
		p.layManual(cfg)
	}
	if p.uses, err = tools.NewUses(usesIn{p.values}); err != nil {
		return nil, err
	}
	a := &service{approvals: broker, records: records{p.store}}
	lanes := newLanes()
	lanes.busy = a.busy
	for _, l := range p.agents {
		r, err := p.instance(ctx, l, broker, lanes)
		if err != nil {
			return nil, err
		}
		a.agents = append(a.agents, r)
	}
	a.notices = p.notices
	return a, nil
}

// layManual puts the manual where the agent can read it.
func (p *parts) layManual(cfg config.Config) {
	if err := manualOf(cfg.State).lay(); err != nil {
		p.notice(event.Notice{Code: "no_manual", Message: "the agent can't read its manual: " + err.Error(), Hint: "make room beside the state folder"})
	}
}

// budgetOf bounds what files and skills take of the prompt.
func budgetOf(p config.Prompt) assembly.Budget {
	return assembly.Budget{File: p.FileChars, Total: p.TotalChars, WindowShare: p.WindowShare, Skills: p.SkillsChars}
}

// knobsOf switch sections and notices of the prompt.
func knobsOf(p config.Prompt) assembly.Knobs {
	return assembly.Knobs{
		Delegate: p.Delegation == "prefer", ReplyTags: p.ReplyTags, TwelveHour: p.TimeFormat == "12h", Silence: true,
		Citations: p.Citations == "on", WideCitations: p.Citations == "auto",
		HideCutNotice: p.CutNotice == "off", RepeatCutNotice: p.CutNotice == "always",
	}
}

// aliasesOf are the short names for models, sorted.
func aliasesOf(cfg config.Config) []assembly.Alias {
	var out []assembly.Alias
	for _, name := range slices.Sorted(maps.Keys(cfg.Model.Aliases)) {
		out = append(out, assembly.Alias{Name: name, Model: cfg.Model.Aliases[name]})
	}
	return out
}

// limitsOf are the limits of a turn.
func limitsOf(cfg config.Config) runtime.TurnLimits {
	return runtime.TurnLimits{
		MaxQuestion: int(cfg.Turn.MaxQuestion), MaxSteps: cfg.Turn.MaxSteps, MaxCalls: cfg.Turn.MaxCalls,
		MaxTime: time.Duration(cfg.Turn.MaxTime), NumPredict: cfg.Model.NumPredict, MaxWakes: cfg.Turn.MaxWakes,
	}
}

// lanes are the ledgers of a model server, one for each model that is asked for,
// and its one lane: a board has one processor for models, so that whoever is first
// by priority goes first, whatever the model.
type lanes struct {
	lane *model.Lane
	of   map[string]*model.Ledger
	busy func() bool // a turn of any agent is under way
}

func newLanes() *lanes { return &lanes{lane: model.NewLane(), of: map[string]*model.Ledger{}} }

// ledger is that of a model by its configured name.
func (l *lanes) ledger(name string) *model.Ledger {
	if l.of[name] == nil {
		l.of[name] = model.NewLedger()
	}
	return l.of[name]
}
