package main

import (
	"context"

	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
)

// wakes shows the turns that a conversation is woken to, while the person types and
// between the messages of a script.
type wakes struct {
	link    *link
	session string
	see     func(event.Event)
	over    chan struct{} // closed when the agent is not watched any more; nil before
}

// watch begins to watch, and begins anew where the agent that was watched went away.
func (w *wakes) watch(ctx context.Context) {
	if w.over != nil {
		select {
		case <-w.over:
		default:
			return
		}
	}
	over, ready, client := make(chan struct{}), make(chan struct{}), w.link.way().client
	w.over = over
	go func() {
		defer close(over)
		// An agent that went away is found again by the next message.
		_ = gateway.Watch.Follow(ctx, client, w.session, func() { close(ready) }, seeAll(w.see))
	}()
	select {
	case <-ready:
	case <-over:
	}
}

// End waits until nothing more is shown. The context of watch is over.
func (w *wakes) end() {
	if w.over != nil {
		<-w.over
	}
}

// seeAll never has enough.
func seeAll(see func(event.Event)) func(event.Event) bool {
	return func(e event.Event) bool {
		see(e)
		return false
	}
}
