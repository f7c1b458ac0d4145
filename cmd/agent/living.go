package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// living is the agent of this process with everything behind it, as the gateway
// serves it.
type living struct {
	*runtime.Agent
	reg     *tools.Registry
	desk    *runtime.Approvals
	store   *store.Store
	notices []event.Notice
	zone    *time.Location

	mu    sync.Mutex
	turns int           // that run now, of any terminal
	idle  chan struct{} // closed when turns falls to 0; nil when nobody waits
}

// Turn counts the turns of all terminals, so that the process does not end under
// another's.
func (a *living) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End {
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
	return a.Agent.Turn(ctx, ask, sink)
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

// Judge says what policy would decide about a call; nothing happens.
func (a *living) Judge(ctx context.Context, q gateway.JudgeQuery) (policy.Decision, error) {
	from := tools.Origin{Agent: runtime.MainSession, Session: runtime.MainSession, Run: "chat", Attended: q.Attended}
	return a.reg.Judge(ctx, from, q.Tool, q.Args), nil
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
	h.warm = func() {
		// What keeps a warm-up from working is told by the first question.
		background.Go(func() { _ = a.Warm(warming, "") })
		background.Go(func() { upkeep(warming, a.store, func() bool { return a.running() != nil }) })
	}
	h.close = func() {
		if l != nil {
			l.Close() // nobody new; who is here may end
		}
		a.letEnd(ctx, show)
		cool()
		background.Wait()
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

// SessionStatus tells the model about its own session.
func (a *living) SessionStatus(ctx context.Context, session string) (tools.Status, error) {
	st := a.Agent.Status(ctx)
	out := tools.Status{
		Time: time.Now().In(a.zone), Zone: a.zone.String(), Model: st.Model, Window: st.Window, Board: st.Host.Board,
	}
	if st.Last != nil && st.Last.Requests == 1 { // else the figures are sums of several prompts
		out.Used, out.Reused = st.Last.Prompt, st.Last.Reused
	}
	for _, s := range st.Sessions {
		if s.ID != session {
			continue
		}
		for _, f := range s.Stale {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is newer than the copy in the prompt", f.Name))
		}
	}
	return out, nil
}

var (
	_ gateway.Agent      = (*living)(nil)
	_ tools.StatusSource = (*living)(nil)
)
