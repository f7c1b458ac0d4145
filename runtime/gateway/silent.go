package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"net/textproto"
	"sync/atomic"
	"time"

	"hardshell/runtime/event"
)

// While no agent takes a request, the process at the other end is looked at every
// lookEvery. One that can't run ends the request at once, any other after patience: a
// busy machine is slow.
const (
	lookEvery = 400 * time.Millisecond
	patience  = 20 * time.Second
)

// The codes of an agent that is there and takes no request.
const (
	stoppedCode = "agent_stopped"
	silentCode  = "agent_silent"
)

// Unresponsive reports whether an error is that of an agent that is there and takes no
// request, so that no other process can take its place.
func Unresponsive(err error) bool {
	var p *event.Problem
	return errors.As(err, &p) && (p.Code == stoppedCode || p.Code == silentCode)
}

// Stopped is the problem of an agent whose process can't run (Ctrl-Z, SIGSTOP, a
// debugger); nil when it can, and when it can't be looked at.
func Stopped(pid int) *event.Problem {
	p, err := processOf(pid)
	if err != nil {
		return nil
	}
	out := &event.Problem{Code: stoppedCode, Message: fmt.Sprintf("process %d holds the agent, takes no request and can't run: its state is %s", pid, p.state)}
	switch p.state[:1] {
	case "T":
		out.Hint = fmt.Sprintf("let it go on: fg in its terminal, or kill -CONT %d", pid)
	case "t":
		out.Hint = "let it go on in the debugger that holds it, or end the debugger"
	default:
		return nil
	}
	return out
}

// silent is the problem of an agent that took no request in time.
func silent(pid int) *event.Problem {
	state := "not known"
	if p, err := processOf(pid); err == nil {
		state = p.state
	}
	return &event.Problem{
		Code: silentCode, Message: fmt.Sprintf("process %d holds the agent and took no request within %v; its state is %s", pid, patience, state),
		Hint: fmt.Sprintf("try again; if it stays so, end it with kill %d and start it again", pid),
	}
}

// taking is a request on its way to an agent.
type taking struct {
	took atomic.Bool
	peer atomic.Int64 // process at the other end; 0: not known
}

// trace has ctx tell of the connection, and of the agent that takes the request.
func (t *taking) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { t.peer.Store(int64(pidOf(i.Conn))) },
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			t.took.Store(code == taken)
			return nil
		},
	})
}

// pidOf is the process at the other end, 0 where there is none to know.
func pidOf(c net.Conn) int {
	p, err := peerOf(c)
	if err != nil {
		return 0
	}
	return p.pid
}

// watch ends a request that no agent takes, until it is taken or done closes.
func (t *taking) watch(done <-chan struct{}, end context.CancelCauseFunc) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for begun := time.Now(); ; {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		pid := int(t.peer.Load())
		switch p := Stopped(pid); {
		case t.took.Load():
			return
		case pid == 0: // not connected, or to this very process
		case p != nil:
			end(p)
			return
		case time.Since(begun) > patience:
			end(silent(pid))
			return
		}
	}
}

// ending is the body of an answer that lets go of its request when it is closed.
type ending struct {
	io.ReadCloser
	end context.CancelCauseFunc
}

func (b ending) Close() error {
	err := b.ReadCloser.Close()
	b.end(nil)
	return err
}
