package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"hardshell/assembly"
	"hardshell/hw"
	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/skills"
	"hardshell/runtime/workspace"
	"hardshell/tools"
	"hardshell/tools/board"
	"hardshell/tools/command"
	"hardshell/tools/files"
	"hardshell/tools/self"
	"hardshell/tools/text"
)

// instance is one agent of this process with everything behind it.
type instance struct {
	*runtime.Agent
	box    Box
	id     string
	reg    *tools.Registry
	jobs   *command.Processes
	policy atomic.Pointer[policy.Policy]
	zone   *time.Location
	// exec runs its hooks; place is what the needs of its skills are held against.
	exec  *command.ExecTool
	place skills.Place
}

// Close ends what runs for the agent, and the sandbox that is ready for it.
func (r *instance) Close() {
	r.Agent.Close()
	r.box.Close()
}

// instance starts one agent.
func (p *parts) instance(ctx context.Context, l *spec, broker *approval.Broker, lanes *lanes) (*instance, error) {
	cfg := l.cfg
	roots, err := files.NewRoots(cfg.Workspace, shortRoots(cfg)...)
	if err != nil {
		return nil, fmt.Errorf("set up the file tools: %w", err)
	}
	if !p.Look {
		if err := p.recoverPatches(l, roots); err != nil {
			return nil, err
		}
	}
	box := p.probe(ctx, l)
	if n := told(box); n != nil && l.id == event.MainAgent {
		p.notice(*n) // the same for all of them
	}
	jobs, err := p.jobs(l, outputOf(cfg))
	if err != nil {
		return nil, err
	}
	r := &instance{id: l.id, box: l.box, jobs: jobs, zone: p.zone}
	r.policy.Store(l.policy)
	r.exec = p.exec(l, r, roots)
	r.reg = p.registry(l, r, roots, broker, box.Complete())
	overlay, err := overlayOf(l.entry)
	if err != nil {
		return nil, err
	}
	r.place = placeOf(cfg, p.host.Board, p.board, p.Getenv)
	if len(l.entry.Skills) > 0 {
		p.notices = append(p.notices, unknownSkills(l.entry, discover(cfg, r.place, nil))...)
	}
	r.Agent = runtime.New(runtime.Config{
		ID: l.id, Host: p.host, Dir: cfg.Workspace, Writable: []string{cfg.Workspace}, Repo: repoOf(cfg.Workspace), Zone: p.zone,
		Budget: budgetOf(cfg.Prompt), Knobs: knobsOf(cfg.Prompt), Overlay: overlay, Hooks: r.hooksOf(cfg),
		Limits: limitsOf(cfg), ModelName: cfg.Model.Name, NumCtx: cfg.Model.NumCtx, Memory: Memory, Server: serverOf(cfg), Choices: choicesIn{p.values}, Confined: confined(box),
		Commands: p.Commands, Docs: docsRoot + ":", Skills: skillsOf(cfg, r.place, l.entry.Skills),
		Think: cfg.Model.Think, Reasoning: cfg.Model.Reasoning, Aliases: aliasesOf(cfg),
		Lane: lanes.lane, Ledger: lanes.ledger(cmp.Or(cfg.Model.Aliases[cfg.Model.Name], cfg.Model.Name)),
		Model: p.model, Catalog: p.model, Tools: r.reg, Store: p.store.Sessions, Files: r.files(l.folder, Roots(cfg, p.Getenv)), Approvals: broker, Jobs: jobs, Redactor: p.masker,
		WarmUp: cfg.Model.WarmUp, SubSlot: cfg.Model.SubSlot, Spare: spareOf(p.board, cfg.Model.WarmUpMaxTemp), Busy: lanes.busy,
		Health: healthOf(p.board), HeatLimit: cfg.Model.WarmUpMaxTemp,
		Temp: cfg.Model.Temperature, Now: time.Now, Log: p.Log,
	})
	return r, nil
}

// recoverPatches undoes the patch that an earlier process was in the middle of.
func (p *parts) recoverPatches(l *spec, roots *files.Roots) error {
	cutOff, err := files.RecoverPatches(l.patches(), roots)
	for _, told := range cutOff {
		p.notice(event.Notice{Code: "patch_cut_off", Message: told, Hint: "look at the files before you go on"})
	}
	return err
}

// files are those of the prompt, without what policy keeps from being read.
func (r *instance) files(all workspace.Folder, roots map[string]string) workspace.Folder {
	return all.Except(func(abs string) bool { return r.policy.Load().Unreadable(policy.Facts{Roots: roots}, abs) })
}

// outputOf bounds what the model gets of an output.
func outputOf(cfg config.Config) text.Limits {
	return text.Limits{OutputBytes: int(cfg.Exec.OutputBytes), OutputLines: cfg.Exec.OutputLines}
}

// exec runs an agent's commands, its hooks among them.
func (p *parts) exec(l *spec, r *instance, roots *files.Roots) *command.ExecTool {
	return command.NewExecTool(command.ExecConfig{
		Launcher: l.box, Roots: roots, Timeout: time.Duration(l.cfg.Exec.Timeout), MaxTimeout: time.Duration(l.cfg.Exec.MaxTimeout),
		Limits: outputOf(l.cfg), Redactor: p.masker, Processes: r.jobs,
	})
}

// hooksOf are the hooks of an agent, each run through its one door.
func (r *instance) hooksOf(cfg config.Config) []hooks.Hook {
	var out []hooks.Hook
	for _, h := range cfg.HooksOf(r.id) {
		out = append(out, hooks.Hook{Name: h.Name, On: hooks.On(h.On), Run: func(ctx context.Context, from tools.Origin, input string) (tools.Result, error) {
			return r.reg.Run(ctx, from, "hook "+h.Name, &command.Filter{
				Exec: r.exec, Argv: h.Command, Stdin: input, Timeout: time.Duration(h.Timeout), Most: int(h.Output),
			})
		}})
	}
	return out
}

// registry is the one door of an agent.
func (p *parts) registry(l *spec, r *instance, roots *files.Roots, broker *approval.Broker, confined bool) *tools.Registry {
	cfg := l.cfg
	under := files.Config{Roots: roots, Limits: outputOf(cfg), Redactor: p.masker}
	return tools.NewRegistry(tools.Config{
		Policy: func() tools.Policy { return r.policy.Load() }, Approver: broker, Auditor: p.store.Audit, Dir: cfg.Workspace, Confined: confined,
		Roots: Roots(cfg, p.Getenv), CommandUID: os.Getuid(), Deadline: time.Duration(cfg.Approvals.Deadline), Redactor: p.masker, Now: time.Now, NextQuestion: broker.NextID, Uses: p.uses,
		Tools: append(boardTools(p.board),
			r.exec,
			command.NewProcessTool(r.jobs),
			files.NewRead(under), files.NewWrite(under), files.NewEdit(under), files.NewApplyPatch(under, l.patches()),
			self.NewSessionStatus(r), self.NewUpdatePlan(r),
		),
	})
}

// boardTools are the tools that need a board; none without one.
func boardTools(b hw.Board) []tools.Tool {
	if b == nil {
		return nil
	}
	return []tools.Tool{board.NewSensors(b)}
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
func (r *instance) SessionStatus(ctx context.Context, session string) (self.State, error) {
	st := r.Status(ctx)
	out := self.State{
		Time: time.Now().In(r.zone), Zone: r.zone.String(), TwelveHour: r.TwelveHour(), Model: st.Model, Window: st.Window, Board: st.Host.Board,
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
func (r *instance) SetSession(ctx context.Context, session string, set policy.Setting) (string, error) {
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

var _ self.StatusSource = (*instance)(nil)
