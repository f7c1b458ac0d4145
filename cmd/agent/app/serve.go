package app

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
)

// serve answers on the agent's socket and to this process itself. A socket that
// can't be made is told and costs the other terminals, not this one.
func (a *service) serve(ctx context.Context, path string, tell func(event.Event)) *App {
	srv := gateway.NewServer(a)
	local := gateway.NewLocal()
	h := &App{Client: gateway.NewClient(local.Dial), Socket: path, Broken: make(chan error, 2), Held: true}
	go func() {
		if err := srv.Serve(local); err != nil {
			h.Broken <- err
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
				h.Broken <- err
			}
		}()
	}
	warming, cool := context.WithCancel(ctx)
	var background sync.WaitGroup
	h.warm = func(session string) {
		background.Go(debug.FreeOSMemory) // a start does not collect; the model needs what it left
		a.keepWarm(warming, session, &background)
		background.Go(func() { upkeep(warming, a.store, func() bool { return a.running() != nil }) })
	}
	h.reload = func(started, cfg config.Config) error { return a.reload(ctx, started, cfg) }
	h.wake = func() { a.wakeOn(warming, &background) }
	h.left = func() { a.wakeLeft(warming, &background) }
	h.close = func() {
		if l != nil {
			l.Close() // nobody new; who is here may end
		}
		a.letEnd(ctx, tell)
		a.endCommands(tell)
		cool()
		background.Wait()
		a.unwatch()
		h.Client.Close()
		// What the others' turns told last may still be on its way to them.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
		_ = srv.Shutdown(last)
		cancel()
		_ = srv.Close() // nobody is left who could be told
		a.Close()
		if err := a.store.Close(); err != nil {
			tell(notice("store", "the store could not be closed in order: "+err.Error(), "the next start checks it"))
		}
	}
	return h
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
