package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/store"
)

// A store that is held by a process without a socket is one that just starts or
// just ends; it is waited for that long.
const (
	patience = 3 * time.Second
	retry    = 50 * time.Millisecond
)

// appOptions are those of an agent that this process holds. What the person should know
// goes to show.
func appOptions(inv *invocation, show viewer, log *slog.Logger, wait time.Duration) app.Options {
	return app.Options{Getenv: inv.getenv, Commands: slashCommands(), Tell: show.Event, Log: log, Wait: wait}
}

// openLink finds the agent or starts it in this process. What the person
// should know of the start goes to show.
func openLink(ctx context.Context, inv *invocation, cfg config.Config, show viewer) (*link, error) {
	l := &link{inv: inv, cfg: cfg, show: show}
	return l, l.find(ctx)
}

// connect is openLink for commands that look and don't talk: notices go to stderr.
func connect(ctx context.Context, inv *invocation) (*link, error) {
	cfg, err := inv.load()
	if err != nil {
		return nil, err
	}
	return openLink(ctx, inv, cfg, term.NewVoice(io.Discard, inv.stderr, inv.getenv))
}

// link is a host that is looked for anew when the process that held the store
// ends.
type link struct {
	*app.App
	inv   *invocation
	cfg   config.Config
	show  viewer
	wakes bool // this process lets ends of commands wake the agent, once it holds it
}

// find holds the store, or dials who holds it or to whom it belongs.
func (l *link) find(ctx context.Context) error {
	until := time.Now().Add(patience)
	for {
		h, err := app.Start(ctx, l.cfg, appOptions(l.inv, l.show, slog.New(slog.DiscardHandler), time.Millisecond))
		var other *app.OtherOwner
		if err == nil {
			l.App = h
			if l.wakes {
				l.WakeUp()
			}
			return nil
		}
		if !errors.Is(err, store.Busy) && !errors.As(err, &other) {
			return err
		}
		h, known := app.Dial(ctx, l.cfg)
		switch late := time.Now().After(until); {
		case known == nil:
			l.App = h
			return l.differences(ctx)
		case other != nil && (late || other.Shut()):
			return other.Unreached(app.Socket(l.cfg))
		case late:
			var busy *event.Problem
			errors.As(err, &busy) // store.Busy: looked at above
			return event.Errorf(busy.Code, busy.Hint, "%s and its socket does not answer (%v)", busy.Message, known)
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// differences warns when this command line asks for something that the running
// agent was not started with.
func (l *link) differences(ctx context.Context) error {
	st, err := l.Client.Status(ctx, "")
	if err != nil {
		return err
	}
	for _, d := range []struct{ key, want, has string }{
		{"model.name", l.cfg.Model.Name, st.Model},
		{"workspace", app.Real(l.cfg.Workspace), app.Real(st.Dir)},
	} {
		from := l.cfg.From[d.key]
		if from == "" || strings.HasPrefix(from, "line ") || d.want == d.has {
			continue
		}
		l.show.Event(event.Event{Kind: event.Warning, Time: time.Now(), Notice: &event.Notice{
			Code:    "other_agent",
			Message: fmt.Sprintf("process %d holds the state folder and runs with %s = %q, so %q from %s has no effect", st.PID, d.key, d.has, d.want, from),
			Hint:    "end that process, or name another folder with --state",
		}})
	}
	return nil
}

// gone reports whether the process at the other end went away, and was not this
// one.
func (l *link) gone(err error) bool {
	var p *event.Problem
	return !l.Held && errors.As(err, &p) && p.Code == "agent_gone"
}
