package main

import (
	"bytes"
	"context"
	"io"

	"hardshell/runtime/event"
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
	over, ready, client := make(chan struct{}), make(chan struct{}), w.link.Client
	w.over = over
	go func() {
		defer close(over)
		// An agent that went away is found again by the next message.
		_ = client.Watch(ctx, w.session, func() { close(ready) }, w.see)
	}()
	select {
	case <-ready:
	case <-over:
	}
}

// end waits until nothing more is shown. The context of watch is over.
func (w *wakes) end() {
	if w.over != nil {
		<-w.over
	}
}

// wholeLines hands text on line by line.
type wholeLines struct {
	to  io.Writer
	buf []byte
}

func (w *wholeLines) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	i := bytes.LastIndexByte(w.buf, '\n') + 1
	if i == 0 {
		return len(p), nil
	}
	_, err := w.to.Write(w.buf[:i])
	w.buf = append(w.buf[:0], w.buf[i:]...)
	return len(p), err
}
