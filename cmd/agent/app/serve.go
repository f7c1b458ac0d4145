package app

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
)

// serve answers to this process and, unless it is private, on the agent's socket. A
// socket that can't be made is told and costs the other terminals, not this one.
func (a *service) serve(ctx context.Context, path string, o Environment) *App {
	local := gateway.NewLocal()
	p := &App{
		Client: gateway.NewClient(local.Dial), Socket: path, Broken: make(chan error, 2),
		service: a, server: gateway.NewServer(a), tell: o.Tell, ctx: ctx,
	}
	p.between, p.cool = context.WithCancel(ctx)
	p.listen(local)
	if o.Private {
		return p
	}
	l, err := gateway.Listen(path, accessOf(path))
	if err != nil {
		a.notices = append(a.notices, event.Notice{
			Code: "no_socket", Message: fmt.Sprintf("other terminals can't reach this agent: %v", err), Hint: "choose a shorter --state, or one on a local disk",
		})
		return p
	}
	p.socket = l
	p.listen(l)
	return p
}

// listen answers on a listener until the end.
func (p *App) listen(l net.Listener) {
	go func() {
		if err := p.server.Serve(l); err != nil {
			p.Broken <- err
		}
	}()
}

// WarmUp has the model read the prompt ahead of a session's first question, and begins
// the work between turns.
func (p *App) WarmUp(session string) {
	p.background.Go(func() { giveBack(p.between) })
	p.service.keepWarm(p.between, session, &p.background)
	p.background.Go(func() { upkeep(p.between, p.service.store, func() bool { return p.service.running() != nil }) })
}

// WakeUp has the end of a command in the background wake its conversation from here on.
func (p *App) WakeUp() { p.service.wakeOn(p.between, &p.background) }

// WakeLeft wakes the conversations that were not told of the end of a command before
// this start.
func (p *App) WakeLeft() { p.service.wakeLeft(p.between, &p.background) }

// Reload puts in force what may change of policy and settings while the agents run,
// each agent's as soon as none of its turns runs. An error changes nothing. started is
// what they were started with.
func (p *App) Reload(started, cfg config.Config) error {
	return p.service.reload(p.ctx, started, cfg)
}

// Close lets the turns of other terminals end and then lets go of the agents and of
// the store.
func (p *App) Close() {
	a := p.service
	if p.socket != nil {
		p.socket.Close() // nobody new; who is here may end
	}
	a.letEnd(p.ctx, p.tell)
	a.endCommands(p.tell)
	p.cool()
	p.background.Wait()
	a.unwatch()
	p.Client.Close()
	// What the others' turns told last may still be on its way to them.
	last, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), parting)
	_ = p.server.Shutdown(last)
	cancel()
	_ = p.server.Close() // nobody is left who could be told
	a.Close()
	if err := a.store.Close(); err != nil {
		p.tell(notice("store", "the store could not be closed in order: "+err.Error(), "the next start checks it"))
	}
}

// keepWarm has the model read what the next turn needs while nobody talks: at once
// for the agent of a session, for every other one from its first turn on.
func (a *service) keepWarm(ctx context.Context, id string, running *sync.WaitGroup) {
	owner, err := a.owner(id)
	for _, r := range a.agents {
		first := ""
		if err == nil && r == owner {
			first = cmp.Or(id, session.Of(r.id, ""))
		}
		running.Go(func() { r.Idle(ctx, first) })
	}
}

// ownEnd is how long a turn that has told its end may take to return and be put away.
const ownEnd = 800 * time.Millisecond

// parting is how long the last words to other terminals may take.
const parting = time.Second

// letEnd waits for the turns of other terminals, unless this process was told to
// end.
func (a *service) letEnd(ctx context.Context, tell func(event.Event)) {
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
	tell(notice("waiting", "another terminal's turn still runs in this process; waiting for its end", "Ctrl-C ends both"))
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// notice is a warning of the program itself.
func notice(code, message, hint string) event.Event {
	return event.Event{Kind: event.Warning, Time: time.Now(), Notice: &event.Notice{Code: code, Message: message, Hint: hint}}
}
