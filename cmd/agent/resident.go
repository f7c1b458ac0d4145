package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"hardshell/assembly"
	"hardshell/hw"
	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/model"
	"hardshell/runtime/skills"
	"hardshell/runtime/workspace"
	"hardshell/tools"
)

// lodging is what belongs to one agent alone: its settings, its folder, what holds
// its commands, and the policy as its profile narrows it.
type lodging struct {
	id     string
	cfg    config.Config // its own
	entry  config.Agent
	folder workspace.Folder
	box    launcher
	policy *policy.Policy
}

// lodge reads and checks what belongs to an agent.
func (p *parts) lodge(cfg config.Config, id string) (*lodging, error) {
	l := &lodging{id: id}
	l.cfg, l.entry, _ = cfg.Of(id)
	var err error
	if l.policy, err = narrowed(p.policy, l.entry); err != nil {
		return nil, err
	}
	if l.folder, err = workspace.Open(l.cfg.Workspace); err != nil {
		return nil, ofAgent(id, err)
	}
	if l.box, err = newLauncher(l.cfg, others(cfg, l.cfg.Workspace)); err != nil {
		return nil, ofAgent(id, err)
	}
	return l, nil
}

// named is what something in the state is called that belongs to this agent alone.
func (l *lodging) named(name string) string {
	if l.id == runtime.MainAgent {
		return name
	}
	return name + "-" + l.id
}

// patches is where the agent's patches are kept while they are applied.
func (l *lodging) patches() string { return filepath.Join(l.cfg.State, l.named("patches")) }

// narrowed is the policy under the profile of an agent.
func narrowed(pol *policy.Policy, a config.Agent) (*policy.Policy, error) {
	if a.Profile == "" {
		return pol, nil
	}
	narrow, err := pol.Profile(a.Profile)
	if err != nil {
		return nil, problem("config", "correct profile below the [[agent]], or add the profile to the policy file", "agent %q: %v", a.ID, err)
	}
	return narrow, nil
}

// others are the workspaces of the agents that work elsewhere.
func others(cfg config.Config, own string) []string {
	var out []string
	for _, id := range cfg.AgentIDs() {
		c, _, _ := cfg.Of(id)
		if real(c.Workspace) != real(own) && !slices.Contains(out, c.Workspace) {
			out = append(out, c.Workspace)
		}
	}
	return out
}

// ofAgent says which agent something is wrong with, where there could be a doubt.
func ofAgent(id string, err error) error {
	if id == runtime.MainAgent {
		return err
	}
	p, code := judge(err)
	p.Message, p.Hint = fmt.Sprintf("agent %q: %s", id, p.Message), "correct workspace below its [[agent]], or make the folder: agent init --workspace DIR"
	return &failure{Problem: p, exit: code}
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

// resident is one agent of this process with everything behind it.
type resident struct {
	*runtime.Agent
	box  launcher
	id   string
	reg  *tools.Registry
	jobs *tools.Jobs
	law  atomic.Pointer[policy.Policy]
	zone *time.Location
	// exec runs its hooks; place is what the needs of its skills are held against.
	exec  *tools.Exec
	place skills.Place
}

// Close ends what runs for the agent, and the sandbox that is ready for it.
func (r *resident) Close() {
	r.Agent.Close()
	r.box.box.Close()
}

// settle brings one agent to life.
func (p *parts) settle(ctx context.Context, l *lodging, desk *runtime.Approvals, lanes *lanes, log *slog.Logger) (*resident, error) {
	cfg := l.cfg
	roots, err := tools.NewRoots(cfg.Workspace, shortRoots(cfg)...)
	if err != nil {
		return nil, fmt.Errorf("set up the file tools: %w", err)
	}
	cutOff, err := tools.RecoverPatches(l.patches(), roots)
	if err != nil {
		return nil, err
	}
	for _, told := range cutOff {
		p.notice(event.Notice{Code: "patch_cut_off", Message: told, Hint: "look at the files before you go on"})
	}
	box := p.holding(ctx, l)
	if n := told(box); n != nil && l.id == runtime.MainAgent {
		p.notice(*n) // the same for all of them
	}
	jobs, err := p.jobs(l, outputOf(cfg))
	if err != nil {
		return nil, err
	}
	r := &resident{id: l.id, box: l.box, jobs: jobs, zone: p.zone}
	r.law.Store(l.policy)
	r.exec = p.exec(l, r, roots)
	r.reg = p.registry(l, r, roots, desk, box.Complete())
	overlay, err := overlayOf(l.entry)
	if err != nil {
		return nil, err
	}
	r.place = placeOf(cfg, p.host.Board, p.board, p.getenv)
	if len(l.entry.Skills) > 0 {
		p.notices = append(p.notices, unknownSkills(l.entry, discover(cfg, r.place, nil))...)
	}
	r.Agent = runtime.New(runtime.Config{
		ID: l.id, Host: p.host, Dir: cfg.Workspace, Writable: []string{cfg.Workspace}, Repo: repoOf(cfg.Workspace), Zone: p.zone,
		Budget: budgetOf(cfg.Prompt), Knobs: knobsOf(cfg.Prompt), Overlay: overlay, Hooks: r.hooksOf(cfg),
		Limits: limitsOf(cfg), ModelName: cfg.Model.Name, NumCtx: cfg.Model.NumCtx, Memory: this.freeMemory(), Confined: confined(box),
		Commands: slashCommands(), Docs: docsRoot + ":", Skills: skillsOf(cfg, r.place, l.entry.Skills),
		Think: cfg.Model.Think, Reasoning: cfg.Model.Reasoning, Aliases: aliasesOf(cfg),
		Lane: lanes.lane, Ledger: lanes.ledger(cmp.Or(cfg.Model.Aliases[cfg.Model.Name], cfg.Model.Name)),
		Model: p.model, Catalog: p.model, Tools: r.reg, Store: p.store, Files: l.folder, Approvals: desk, Jobs: jobs, Masker: p.masker,
		WarmUp: cfg.Model.WarmUp, SubSlot: cfg.Model.SubSlot, Spare: spareOf(p.board, cfg.Model.WarmUpMaxTemp), Busy: lanes.busy,
		Health: healthOf(p.board), HeatLimit: cfg.Model.WarmUpMaxTemp,
		Temp: cfg.Model.Temperature, Now: time.Now, Log: log,
	})
	return r, nil
}

// outputOf bounds what the model gets of an output.
func outputOf(cfg config.Config) tools.Limits {
	return tools.Limits{OutputBytes: int(cfg.Exec.OutputBytes), OutputLines: cfg.Exec.OutputLines}
}

// exec runs an agent's commands, its hooks among them.
func (p *parts) exec(l *lodging, r *resident, roots *tools.Roots) *tools.Exec {
	return tools.NewExec(tools.ExecConfig{
		Launcher: l.box, Roots: roots, Timeout: time.Duration(l.cfg.Exec.Timeout), MaxTimeout: time.Duration(l.cfg.Exec.MaxTimeout),
		Limits: outputOf(l.cfg), Masker: p.masker, Jobs: r.jobs,
	})
}

// hooksOf are the hooks of an agent, each run through its one door.
func (r *resident) hooksOf(cfg config.Config) []hooks.Hook {
	var out []hooks.Hook
	for _, h := range cfg.HooksOf(r.id) {
		out = append(out, hooks.Hook{Name: h.Name, On: hooks.On(h.On), Run: func(ctx context.Context, from tools.Origin, input string) (tools.Result, error) {
			return r.reg.Run(ctx, from, "hook "+h.Name, &tools.Filter{
				Exec: r.exec, Argv: h.Command, Stdin: input, Timeout: time.Duration(h.Timeout), Most: int(h.Output),
			})
		}})
	}
	return out
}

// registry is the one door of an agent.
func (p *parts) registry(l *lodging, r *resident, roots *tools.Roots, desk *runtime.Approvals, confined bool) *tools.Registry {
	cfg := l.cfg
	files := tools.FilesConfig{Roots: roots, Limits: outputOf(cfg), Masker: p.masker}
	return tools.NewRegistry(tools.Config{
		Policy: func() tools.Policy { return r.law.Load() }, Approver: desk, Auditor: p.store, Dir: cfg.Workspace, Confined: confined,
		Roots: namedRoots(cfg, p.getenv), CommandUID: os.Getuid(), Deadline: time.Duration(cfg.Approvals.Deadline), Masker: p.masker, Now: time.Now, NextQuestion: desk.NextID, Uses: p.uses,
		Tools: append(boardTools(p.board),
			r.exec,
			tools.NewProcess(r.jobs),
			tools.NewRead(files), tools.NewWrite(files), tools.NewEdit(files), tools.NewApplyPatch(files, l.patches()),
			tools.NewSessionStatus(r), tools.NewUpdatePlan(r),
		),
	})
}

// boardTools are the tools that need a board; none without one.
func boardTools(b hw.Board) []tools.Tool {
	if b == nil {
		return nil
	}
	return []tools.Tool{tools.NewSensors(b)}
}

// overlayOf is the overlay that an agent's entry names, nil where it names none.
func overlayOf(a config.Agent) (*assembly.Overlay, error) {
	if a.Overlay == "" {
		return nil, nil
	}
	o, ok := assembly.OverlayOf(a.Overlay)
	if !ok {
		return nil, errors.New("there is no overlay " + a.Overlay + ": agent config schema lists them")
	}
	return &o, nil
}

// SessionStatus tells the model about its own session.
func (r *resident) SessionStatus(ctx context.Context, session string) (tools.Status, error) {
	st := r.Status(ctx)
	out := tools.Status{
		Time: time.Now().In(r.zone), Zone: r.zone.String(), Model: st.Model, Window: st.Window, Board: st.Host.Board,
	}
	if st.Last != nil && st.Last.Requests == 1 { // else the figures are sums of several prompts
		out.Used, out.Reused = st.Last.Prompt, st.Last.Reused
	}
	for _, s := range st.Sessions {
		if s.ID != session {
			continue
		}
		out.Think, out.Reasoning = s.Think, s.Reasoning
		if s.Model != "" && s.Model != out.Model {
			out.Model, out.Window = s.Model, s.Window
		}
		for _, f := range s.Stale {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is newer than the copy in the prompt", f.Name))
		}
	}
	return out, nil
}

// SetSession sets the session's model and what is shown of its thinking.
func (r *resident) SetSession(ctx context.Context, session string, set policy.Setting) (string, error) {
	now, err := r.Adjust(ctx, runtime.Change{Session: session, Model: set.Model, Reasoning: set.Reasoning})
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("from the next turn on: model %s, think %s, reasoning %s", now.Model, now.Think, now.Reasoning)
	for _, n := range now.Notes {
		text += "; " + n
	}
	return text, nil
}

var _ tools.StatusSource = (*resident)(nil)

// namedRoots are the folders that policy's path rules speak of, links followed.
func namedRoots(cfg config.Config, getenv func(string) string) map[string]string {
	roots := map[string]string{
		"workspace": real(cfg.Workspace), "state": real(cfg.State), "policy": real(cfg.Policy), "config": real(configRoot(cfg)),
	}
	if own, err := os.Executable(); err == nil {
		roots["binary"] = real(own)
	}
	roots["docs"], roots["skills"] = real(manualOf(cfg.State).base), real(stateSkills(cfg))
	if home := getenv("HOME"); filepath.IsAbs(home) {
		roots["home"] = real(home)
	}
	return roots
}

// configRoot is what is protected beside the policy file: the folder of the
// settings, or the settings alone where they lie in the workspace itself.
func configRoot(cfg config.Config) string {
	file := cfg.File
	if file == "" {
		file = cfg.Policy
	}
	if dir := filepath.Dir(file); real(dir) != real(cfg.Workspace) {
		return dir
	}
	return file
}
