package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

// host is the way to the agent: in this process, when it holds the store, or in
// the one that does. Either way the agent is reached through client.
type host struct {
	client *gateway.Client
	socket string
	broken chan error // a listener that failed

	held bool
	warm func(session string) // begins a warm-up of the model; nil in a client of another process
	wake func()               // lets ends of commands wake the agent; nil in a client
	left func()               // wakes those who were not told of the ends before this start; nil in a client
	// reload puts policy and settings in force between turns; nil in a client.
	reload func(started, cfg config.Config, named bool) error
	close  func()
}

// warmUp has the model read the prompt ahead of a session's first question, where
// this process holds the agent.
func (h *host) warmUp(session string) {
	if h.warm != nil {
		h.warm(session)
	}
}

// wakeUp has the end of a command in the background wake its conversation, where
// this process holds the agent. Else the end is told with the next message.
func (h *host) wakeUp() {
	if h.wake != nil {
		h.wake()
	}
}

// Close lets go of the agent. A process that holds the store first lets the turns
// of other terminals end.
func (h *host) Close() { h.close() }

// A store that is held by a process without a socket is one that just starts or
// just ends; it is waited for that long.
const (
	patience = 3 * time.Second
	retry    = 50 * time.Millisecond
)

// open finds the agent or brings it to life in this process. What the person
// should know of the start goes to show.
func (c *call) open(ctx context.Context, cfg config.Config, show viewer) (*link, error) {
	l := &link{call: c, cfg: cfg, show: show}
	return l, l.find(ctx)
}

// connect is open for commands that look and don't talk: notices go to stderr.
func (c *call) connect(ctx context.Context) (*link, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, err
	}
	return c.open(ctx, cfg, newVoice(io.Discard, c.stderr, c.getenv))
}

// link is a host that is looked for anew when the process that held the store
// ends.
type link struct {
	*host
	call  *call
	cfg   config.Config
	show  viewer
	wakes bool // this process lets ends of commands wake the agent, once it holds it
}

// find holds the store, or dials who holds it or to whom it belongs.
func (l *link) find(ctx context.Context) error {
	until := time.Now().Add(patience)
	for {
		h, err := l.call.hold(ctx, l.cfg, l.show, slog.New(slog.DiscardHandler), time.Millisecond)
		var busy *store.Busy
		var other *theirs
		if err == nil {
			l.host = h
			if l.wakes {
				l.wakeUp()
			}
			return nil
		}
		if !errors.As(err, &busy) && !errors.As(err, &other) {
			return err
		}
		h, known := l.dial(ctx)
		switch late := time.Now().After(until); {
		case known == nil:
			l.host = h
			return l.differences(ctx)
		case other != nil && (late || other.shut()):
			return other.unreached(socketPath(l.cfg))
		case late:
			return failed("store_busy", busy.Problem().Hint, "%s and its socket does not answer (%v)", busy.Problem().Message, known)
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// dial reaches the agent of another process.
func (l *link) dial(ctx context.Context) (*host, error) {
	socket := socketPath(l.cfg)
	client := gateway.NewClient(gateway.Dial(socket))
	if _, err := client.Status(ctx, ""); err != nil {
		client.Close()
		return nil, err
	}
	return &host{client: client, socket: socket, close: client.Close}, nil
}

// runDir is where an installed agent has its socket; the service makes it.
const runDir = "/run/hardshell"

// socketPath is where the agent of a state folder listens: in that folder, and
// for the machine's own agent in runDir.
func socketPath(cfg config.Config) string {
	if st, err := os.Stat(runDir); err == nil && st.IsDir() && cfg.State == config.MachineState {
		return filepath.Join(runDir, "agent.sock")
	}
	return filepath.Join(cfg.State, "agent.sock")
}

// accessOf says who may use a socket: an installed agent serves the members of its
// group, a person's own serves that person.
func accessOf(socket string) gateway.Access {
	return gateway.Access(filepath.Dir(socket) == runDir)
}

// differences warns when this command line asks for something that the running
// agent was not started with.
func (l *link) differences(ctx context.Context) error {
	st, err := l.client.Status(ctx, "")
	if err != nil {
		return err
	}
	for _, d := range []struct{ key, want, has string }{
		{"model.name", l.cfg.Model.Name, st.Model},
		{"workspace", real(l.cfg.Workspace), real(st.Dir)},
	} {
		from := l.cfg.From[d.key]
		if from == "" || strings.HasPrefix(from, "line ") || d.want == d.has {
			continue
		}
		l.show.event(event.Event{Kind: event.Warning, Time: time.Now(), Notice: &event.Notice{
			Code:    "other_agent",
			Message: fmt.Sprintf("process %d holds the state folder and runs with %s = %q, so %q from %s has no effect", st.PID, d.key, d.has, d.want, from),
			Hint:    "end that process, or name another folder with --state",
		}})
	}
	return nil
}

// repoOf is the root of the repository that a folder lies in, empty when in none.
func repoOf(dir string) string {
	for at := real(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// real is a path with its links followed, as far as it exists.
func real(path string) string {
	for there, rest := path, ""; ; there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest) {
		if p, err := filepath.EvalSymlinks(there); err == nil {
			return filepath.Join(p, rest)
		}
		if there == filepath.Dir(there) {
			return path
		}
	}
}

// gone reports whether the process at the other end went away, and was not this
// one.
func (l *link) gone(err error) bool {
	var p *event.Problem
	return !l.held && errors.As(err, &p) && p.Code == "agent_gone"
}
