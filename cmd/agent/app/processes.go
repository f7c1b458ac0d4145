package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/sandbox"
	"hardshell/tools"
	"hardshell/tools/command"
	"hardshell/tools/text"
)

// commandLedger keeps the records of an agent's commands in the background in the
// store.
type commandLedger struct {
	values values
	space  string
}

// Where the store keeps them, and the version of their form.
const (
	nsCommands  = "commands"
	commandsFmt = 1
)

// Put keeps one record.
func (l commandLedger) Put(key string, v any) error {
	return l.values.Put(l.space, key, commandsFmt, v)
}

// All gives every record; one of another version is left where it is.
func (l commandLedger) All() (map[string]json.RawMessage, error) {
	list, err := l.values.List(l.space)
	out := map[string]json.RawMessage{}
	for _, v := range list {
		if v.Version == commandsFmt {
			out[v.Key] = v.Data
		}
	}
	return out, err
}

// Delete takes one record out.
func (l commandLedger) Delete(key string) error { return l.values.Delete(l.space, key) }

// jobs opens the keeper of an agent's commands in the background. What an earlier
// process left running has ended with it, and is on record so from here on.
func (p *parts) jobs(l *spec, limits text.Limits) (*command.Processes, error) {
	cfg := l.cfg
	known := command.ProcessesConfig{
		Launcher: l.box, Ledger: commandLedger{p.values, l.named(nsCommands)}, Dir: filepath.Join(cfg.State, l.named("outputs")), Look: p.Look, Agent: l.id,
		Max: cfg.Exec.MaxJobs, Kept: cfg.Exec.KeptJobs, KeptBytes: int64(cfg.Exec.KeptBytes), Limits: limits, Redactor: p.masker,
		Now: func() time.Time { return time.Now().In(p.zone) },
	}
	if !p.Look {
		known.Auditor, known.EndLeft = p.store.Audit, func(h tools.Holder) bool { return sandbox.Holder(h).End() }
	}
	jobs, err := command.OpenProcesses(known)
	if err != nil {
		return nil, fmt.Errorf("set up commands in the background: %w", err)
	}
	return jobs, nil
}

// wakeOn has the end of a command wake its session from here on, until ctx ends.
func (a *service) wakeOn(ctx context.Context, running *sync.WaitGroup) {
	for _, r := range a.agents {
		r.jobs.OnEnd(func(session string) {
			running.Go(func() {
				for _, other := range a.agents {
					other.Cool()
				}
				r.Wake(ctx, session)
			})
		})
	}
}

// wakeLeft wakes the sessions that were not told of the end of a command before this
// start: what ended with the process before is told when this one runs, without a
// person's word.
func (a *service) wakeLeft(ctx context.Context, running *sync.WaitGroup) {
	for _, r := range a.agents {
		_, untold := r.jobs.Commands("")
		woken := map[string]bool{}
		for _, one := range untold {
			if !woken[one.Session] {
				woken[one.Session] = true
				running.Go(func() { r.Wake(ctx, one.Session) })
			}
		}
	}
}

// Watch shows the turns that wake a session, those of every agent for "*", until ctx
// or the agent ends.
func (a *service) Watch(ctx context.Context, session string, see func(event.Event)) {
	if session != "*" {
		if r, err := a.owner(session); err == nil {
			r.Watch(ctx, session, see)
		}
		return
	}
	var all sync.WaitGroup
	for _, r := range a.agents {
		all.Go(func() { r.Watch(ctx, session, see) })
	}
	all.Wait()
}

// endCommands ends what runs in the background: it can't outlive this process.
func (a *service) endCommands(tell func(event.Event)) {
	for _, one := range a.agents {
		running, _ := one.jobs.Commands("")
		for _, r := range running {
			tell(notice("command_ends", fmt.Sprintf("%s (%s) ends with this process", r.ID, r.Subject), "agent serve keeps commands running when a terminal closes"))
		}
		one.jobs.Close()
	}
}

// unwatch ends every Watch.
func (a *service) unwatch() {
	for _, r := range a.agents {
		r.Unwatch()
	}
}

// Processes lists an agent's commands in the background.
func (a *service) Processes(_ context.Context, agent string) ([]command.ProcessRecord, error) {
	r, err := a.agent(agent)
	if err != nil {
		return nil, err
	}
	return r.jobs.Known(), nil
}

// ProcessLog gives lines of a command's output.
func (a *service) ProcessLog(_ context.Context, q gateway.ProcessQuery) (command.Log, error) {
	r, err := a.agent(q.Agent)
	if err != nil {
		return command.Log{}, err
	}
	t, err := r.jobs.Show(q.ID, q.From, q.Lines)
	return t, processProblem(err)
}

// EndProcess ends a command on a person's word.
func (a *service) EndProcess(ctx context.Context, q gateway.ProcessQuery) (command.ProcessRecord, error) {
	r, err := a.agent(q.Agent)
	if err != nil {
		return command.ProcessRecord{}, err
	}
	rec, err := r.jobs.End(ctx, q.ID, q.By)
	return rec, processProblem(err)
}

// processProblem gives an error about a command its hint.
func processProblem(err error) error {
	if err == nil {
		return nil
	}
	return event.Errorf("process", "agent process list shows the commands in the background; --agent names another agent's", "%v", err)
}
