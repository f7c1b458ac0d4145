package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// living is every agent of this process with what they share, as the gateway serves
// it.
type living struct {
	agents  []*resident // main first
	desk    *runtime.Approvals
	store   *store.Store
	notices []event.Notice

	mu     sync.Mutex
	reread []event.Notice // what the last reload had to say
	turns  int            // that run now, of any terminal
	idle   chan struct{}  // closed when turns falls to 0; nil when nobody waits
}

// agent is the one of an id; empty is main.
func (a *living) agent(id string) (*resident, error) {
	var ids []string
	for _, r := range a.agents {
		if r.id == id || id == "" {
			return r, nil
		}
		ids = append(ids, r.id)
	}
	return nil, noAgent(id, ids)
}

// noAgent says that there is no such agent, and which is meant.
func noAgent(id string, ids []string) error {
	return &event.Problem{
		Code: "no_agent", Message: fmt.Sprintf("there is no agent %q", id) + meant(id, "", ids),
		Hint: "the agents are " + strings.Join(ids, ", ") + "; an [[agent]] in config.toml adds one",
	}
}

// owner is the agent of a session.
func (a *living) owner(session string) (*resident, error) {
	id, _ := runtime.Owner(session)
	return a.agent(id)
}

// Turn runs a turn of the session's agent. It counts the turns of all terminals, so
// that the process does not end under another's. A warm-up of any agent makes room.
func (a *living) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End {
	r, err := a.owner(ask.Session)
	if err != nil {
		end := event.End{Status: runtime.FailedTurn, Error: runtime.Problem(err)}
		sink(event.Event{Kind: event.TurnEnd, Time: time.Now(), Session: ask.Session, End: &end})
		return end
	}
	a.mu.Lock()
	a.turns++
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.turns--; a.turns == 0 && a.idle != nil {
			close(a.idle)
			a.idle = nil
		}
	}()
	for _, other := range a.agents {
		other.Cool()
	}
	return r.Turn(ctx, ask, sink)
}

// Stop ends the turn that runs in a session.
func (a *living) Stop(session string) bool {
	r, err := a.owner(session)
	return err == nil && r.Stop(session)
}

// Reset starts a session anew.
func (a *living) Reset(session string) error {
	r, err := a.owner(session)
	if err != nil {
		return err
	}
	return r.Reset(session)
}

// Adjust sets what a session has of its own.
func (a *living) Adjust(ctx context.Context, ch runtime.Change) (runtime.Settings, error) {
	r, err := a.owner(ch.Session)
	if err != nil {
		return runtime.Settings{}, err
	}
	return r.Adjust(ctx, ch)
}

// View renders an agent's prompt without sending it.
func (a *living) View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error) {
	id, _ := runtime.Owner(q.Session)
	if q.Session == "" {
		id = q.Agent
	}
	r, err := a.agent(id)
	if err != nil {
		return runtime.View{}, err
	}
	return r.View(ctx, q)
}

// Record is the record of a turn.
func (a *living) Record(id, turn string) (session.TurnRecord, error) {
	r, err := a.owner(id)
	if err != nil {
		return session.TurnRecord{}, err
	}
	return r.Record(id, turn)
}

// Close ends every running turn.
func (a *living) Close() {
	for _, r := range a.agents {
		r.Close()
	}
}

// running gives a channel that closes when no turn runs any more; nil when none
// runs now.
func (a *living) running() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns == 0 {
		return nil
	}
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	return a.idle
}

// busy reports whether a turn of any agent is under way, or about to be.
func (a *living) busy() bool {
	return a.running() != nil || slices.ContainsFunc(a.agents, func(r *resident) bool { return r.Working() })
}

// Judge says what policy would decide about a call; nothing happens.
func (a *living) Judge(ctx context.Context, q gateway.JudgeQuery) (policy.Explanation, error) {
	r, err := a.agent(q.Agent)
	if err != nil {
		return policy.Explanation{}, err
	}
	from := tools.Origin{Agent: r.id, Session: runtime.SessionOf(r.id, ""), Run: "chat", Attended: q.Attended}
	if q.Job != "" {
		from.Run, from.Job = "cron", q.Job
	}
	if q.Explain {
		return r.reg.Explain(ctx, from, q.Tool, q.Args), nil
	}
	return policy.Explanation{Decision: r.reg.Judge(ctx, from, q.Tool, q.Args)}, nil
}

// Answer gives a person's word on an open question.
func (a *living) Answer(id, answer, by string) error { return a.desk.Answer(id, answer, by) }

// AuditTail is the last n audit records.
func (a *living) AuditTail(n int) ([]policy.Record, error) { return a.store.AuditTail(n) }

// AuditVerify checks the audit.
func (a *living) AuditVerify() (store.AuditReport, error) { return a.store.AuditVerify() }

// serve answers on the agent's socket and to this process itself. A socket that
// can't be made is told and costs the other terminals, not this one.
func (a *living) serve(ctx context.Context, path string, show viewer) *host {
	srv := gateway.NewServer(a)
	local := gateway.NewLocal()
	h := &host{client: gateway.NewClient(local.Dial), socket: path, broken: make(chan error, 2), held: true}
	go func() {
		if err := srv.Serve(local); err != nil {
			h.broken <- err
		}
	}()
	l, err := gateway.Listen(path, accessOf(path))
	if err != nil {
		a.notices = append(a.notices, event.Notice{
			Code: "no_socket", Message: fmt.Sprintf("other terminals can't reach this agent: %v", err), Hint: "choose a shorter --state, or one on a local disk",
		})
	} else {
		go func() {
			if err := srv.Serve(l); err != nil {
				h.broken <- err
			}
		}()
	}
	warming, cool := context.WithCancel(ctx)
	var background sync.WaitGroup
	h.warm = func(session string) {
		a.keepWarm(warming, session, &background)
		background.Go(func() { upkeep(warming, a.store, func() bool { return a.running() != nil }) })
	}
	h.reload = func(started, cfg config.Config, named bool) error { return a.reload(ctx, started, cfg, named) }
	h.wake = func() { a.wakeOn(warming, &background) }
	h.left = func() { a.wakeLeft(warming, &background) }
	h.close = func() {
		if l != nil {
			l.Close() // nobody new; who is here may end
		}
		a.letEnd(ctx, show)
		a.endCommands(show)
		cool()
		background.Wait()
		a.unwatch()
		h.client.Close()
		// What the others' turns told last may still be on its way to them.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
		_ = srv.Shutdown(last)
		cancel()
		_ = srv.Close() // nobody is left who could be told
		a.Close()
		if err := a.store.Close(); err != nil {
			show.event(notice("store", "the store could not be closed in order: "+err.Error(), "the next start checks it"))
		}
	}
	return h
}

// keepWarm has the model read what the next turn needs while nobody talks: at once
// for the agent of a session, for every other one from its first turn on.
func (a *living) keepWarm(ctx context.Context, session string, running *sync.WaitGroup) {
	owner, err := a.owner(session)
	for _, r := range a.agents {
		first := ""
		if err == nil && r == owner {
			first = cmp.Or(session, runtime.SessionOf(r.id, ""))
		}
		running.Go(func() { r.Idle(ctx, first) })
	}
}

// ownEnd is how long a turn may take to return behind its last event.
const ownEnd = 500 * time.Millisecond

// parting is how long the last words to other terminals may take.
const parting = time.Second

// grace is how long a turn that has told its end may take to be put away.
const grace = 300 * time.Millisecond

// letEnd waits for the turns of other terminals, unless this process was told to
// end.
func (a *living) letEnd(ctx context.Context, show viewer) {
	idle := a.running()
	if idle == nil || ctx.Err() != nil {
		return
	}
	// This process's own turn may not have returned yet although its end was read.
	select {
	case <-idle:
		return
	case <-ctx.Done():
		return
	case <-time.After(ownEnd):
	}
	select {
	case <-idle: // this process's own turn was just being put away
		return
	case <-ctx.Done():
		return
	case <-time.After(grace):
	}
	show.event(notice("waiting", "another terminal's turn still runs in this process; waiting for its end", "Ctrl-C ends both"))
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// notice is a warning of the program itself.
func notice(code, message, hint string) event.Event {
	return event.Event{Kind: event.Warning, Time: time.Now(), Notice: &event.Notice{Code: code, Message: message, Hint: hint}}
}

var _ gateway.Agent = (*living)(nil)
