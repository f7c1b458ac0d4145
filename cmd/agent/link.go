package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

// patience is how long one and the same process may hold the store without a socket
// that answers: one that starts, looks or ends is done sooner. retry is how long a try
// for the store takes.
const (
	patience = 3 * time.Second
	retry    = 100 * time.Millisecond
)

// holders is the processes that hold the store one after another.
type holders struct {
	pid   int
	since time.Time
}

// stopped is the problem of the process that held the store at the last try and can't
// run, so that it is no use to wait; nil when it can.
func (q *holders) stopped() error {
	if p := gateway.Stopped(q.pid); p != nil {
		return p
	}
	return nil
}

// stuck takes the error of a try for the store and reports whether the same process has
// held it for longer than patience.
func (q *holders) stuck(err error) bool {
	var busy *store.Error
	if errors.As(err, &busy) && busy.PID != q.pid || q.since.IsZero() {
		q.since = time.Now()
	}
	if busy != nil {
		q.pid = busy.PID
	}
	return time.Since(q.since) > patience
}

// environmentOf is that of an agent that this process holds. What the person should know
// goes to show.
func environmentOf(inv *invocation, show viewer, log *slog.Logger) app.Environment {
	return app.Environment{Getenv: inv.getenv, Commands: slashCommands(), Tell: show.Event, Log: log}
}

// link is the way to the agent: of the process that holds it, looked for anew when that
// one ends, or of this one.
type link struct {
	inv  *invocation
	cfg  settings
	show viewer
	// private says that an agent which this process starts serves nobody else: others
	// must not depend on one that ends at once. look says that it changes nothing either,
	// so that any number of them can be at the same state folder.
	private, look bool
	wakes         bool // an agent that this process starts is woken by the ends of commands

	at    atomic.Pointer[way] // never nil once the link is open
	moves sync.Mutex          // held while another way is looked for
}

// way leads to one agent. It does not change.
type way struct {
	client  *gateway.Client
	held    *app.App            // nil while another process holds the agent
	archive *app.Archive        // what is on record, where no agent runs
	status  runtime.AgentStatus // of the agent main of another process, when it was found
}

// way is the one that leads to the agent now.
func (l *link) way() *way { return l.at.Load() }

// openLink finds the agent or starts it in this process, where it serves other
// terminals too. What the person should know of that goes to show.
func openLink(ctx context.Context, inv *invocation, set settings, show viewer) (*link, error) {
	l := &link{inv: inv, cfg: set, show: show}
	return l, l.find(ctx)
}

// connect is openLink for commands that look and don't talk: where no agent runs, this
// process reads the state folder and changes nothing. Notices go to stderr.
func connect(ctx context.Context, inv *invocation) (*link, error) {
	return quick(ctx, inv, func(settings) bool { return true })
}

// connectToChange is connect for commands that change what is stored.
func connectToChange(ctx context.Context, inv *invocation) (*link, error) {
	return quick(ctx, inv, func(settings) bool { return false })
}

// connectToPrompt is connect for commands that make a prompt. Hooks add to it, which are
// programs: that they ran is an act on record.
func connectToPrompt(ctx context.Context, inv *invocation) (*link, error) {
	return quick(ctx, inv, func(set settings) bool { return len(set.Hooks) == 0 })
}

// quick connects a command that ends at once; looks says whether it changes nothing.
func quick(ctx context.Context, inv *invocation, looks func(settings) bool) (*link, error) {
	set, err := inv.reach()
	if err != nil {
		return nil, err
	}
	l := &link{inv: inv, cfg: set, show: term.NewVoice(io.Discard, inv.stderr, inv.getenv), private: true, look: looks(set)}
	return l, l.find(ctx)
}

// openRecords is connect for commands that only show what is on record: where no agent
// runs, none is started, and the state folder is read and not changed.
func openRecords(ctx context.Context, inv *invocation) (*link, error) {
	set, err := inv.reach()
	if err != nil {
		return nil, err
	}
	l := &link{inv: inv, cfg: set, show: term.NewVoice(io.Discard, inv.stderr, inv.getenv), private: true, look: true}
	switch client, st, away := app.Dial(ctx, set.Config); {
	case away == nil:
		l.at.Store(&way{client: client, status: st})
		l.differences()
		return l, nil
	case gateway.Unresponsive(away):
		return nil, away
	}
	a, err := app.OpenArchive(set.Config)
	switch {
	case errors.Is(err, store.Busy): // whoever holds it just starts, or just ends
		return l, l.find(ctx)
	case err != nil:
		return nil, err
	}
	l.at.Store(&way{client: a.Client, archive: a})
	if set.wrong != nil {
		p, _ := judge(set.wrong)
		l.warn("bad_config", fmt.Sprintf("the settings of this command line are not used: %s", p.Message), "correct them before the next start")
	}
	for _, n := range a.Notices {
		l.warn(n.Code, n.Message, n.Hint)
	}
	return l, nil
}

// Close lets go of the agent; one that this process holds ends.
func (l *link) Close() {
	switch at := l.way(); {
	case at.archive != nil:
		at.archive.Close()
	case at.held != nil:
		at.held.Close()
	default:
		at.client.Close()
	}
}

// wakeUp has the end of a command in the background wake its conversation, as long as
// this process holds the agent, from now on or later. Nothing may be asked before.
func (l *link) wakeUp() {
	l.wakes = true
	if held := l.way().held; held != nil {
		held.WakeUp()
	}
}

// warmUp has the model read the prompt ahead of a session's first question, where this
// process holds the agent.
func (l *link) warmUp(session string) {
	if held := l.way().held; held != nil {
		held.WarmUp(session)
	}
}

// find dials the agent of the state folder. Only where nobody listens this process
// becomes the agent, which takes a config and a policy that are in order.
func (l *link) find(ctx context.Context) error {
	var ready *app.Ready
	var line holders
	for {
		client, st, away := app.Dial(ctx, l.cfg.Config)
		switch {
		case gateway.Unresponsive(away):
			return away
		case away == nil:
			l.at.Store(&way{client: client, status: st})
			l.differences()
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case l.cfg.wrong != nil:
			return l.cfg.wrong
		}
		err := l.start(ctx, &ready)
		if err == nil {
			return nil
		}
		var other *app.OtherOwner
		if !errors.Is(err, store.Busy) && !errors.As(err, &other) {
			return err
		}
		switch stuck, stopped := line.stuck(err), line.stopped(); {
		case stopped != nil:
			return stopped
		case other != nil && (stuck || other.Shut()):
			return other.Unreached(app.Socket(l.cfg.Config))
		case stuck:
			var busy *event.Problem
			errors.As(err, &busy) // store.Busy: looked at above
			return event.Errorf(busy.Code, busy.Hint, "%s and its socket does not answer (%v)", busy.Message, away)
		case other != nil:
			select {
			case <-time.After(retry):
			case <-ctx.Done():
			}
		}
	}
}

// start makes this process the agent, or tries to for a moment. ready is prepared once.
func (l *link) start(ctx context.Context, ready **app.Ready) error {
	o := environmentOf(l.inv, l.show, slog.New(slog.DiscardHandler))
	o.Private, o.Look = l.private, l.look
	var err error
	if *ready == nil {
		if *ready, err = app.Prepare(l.cfg.Config, o); err != nil {
			return err
		}
	}
	held, err := (*ready).Start(ctx, retry)
	if err != nil {
		return err
	}
	l.at.Store(&way{client: held.Client, held: held})
	if l.wakes {
		held.WakeUp()
	}
	return nil
}

// differences warns when this command line asks for something that the running agent
// was not started with, or when its settings can't be read.
func (l *link) differences() {
	st := l.way().status
	if l.cfg.wrong != nil {
		p, _ := judge(l.cfg.wrong)
		l.warn("bad_config", fmt.Sprintf("the settings of this command line are not used: %s", p.Message),
			fmt.Sprintf("correct them before the next start; process %d goes on with those that it has in force", st.PID))
		return
	}
	for _, d := range []struct{ key, want, has string }{
		{"model.name", l.cfg.Model.Name, st.Model},
		{"workspace", app.Real(l.cfg.Workspace), app.Real(st.Dir)},
	} {
		from := l.cfg.From[d.key]
		if from == "" || strings.HasPrefix(from, "line ") || d.want == d.has {
			continue
		}
		l.warn("other_agent", fmt.Sprintf("process %d holds the state folder and runs with %s = %q, so %q from %s has no effect", st.PID, d.key, d.has, d.want, from),
			"end that process, or name another folder with --state")
	}
}

// warn shows a warning of this command line's own.
func (l *link) warn(code, message, hint string) {
	l.show.Event(event.Event{Kind: event.Warning, Time: time.Now(), Notice: &event.Notice{Code: code, Message: message, Hint: hint}})
}

// asks bounds how often a question goes to one agent after another that ends.
const asks = 50

// ask asks the agent of a link. Where that one went away before it took the question, or
// when the question changes nothing, whoever is the agent then is asked.
func ask[Req, Ans any](ctx context.Context, l *link, v gateway.Verb[Req, Ans], q Req) (Ans, error) {
	return again(ctx, l, v.MayRepeat, func(c *gateway.Client) (Ans, error) { return v.Ask(ctx, c, q) })
}

// again does f once more, of whoever is the agent then, as long as it fails in a way that
// may be repeated.
func again[T any](ctx context.Context, l *link, may func(error) bool, f func(*gateway.Client) (T, error)) (T, error) {
	for n := 1; ; n++ {
		at := l.way()
		out, err := f(at.client)
		if err == nil || at.held != nil || at.archive != nil || !may(err) || n == asks {
			return out, err
		}
		if err := l.move(ctx, at); err != nil {
			return out, err
		}
	}
}

// move leaves a way whose agent went away for another one, unless somebody has done so
// already.
func (l *link) move(ctx context.Context, gone *way) error {
	l.moves.Lock()
	defer l.moves.Unlock()
	if l.way() != gone {
		return nil
	}
	gone.client.Close()
	return l.find(ctx)
}

// Turn runs a turn and hands its events to sink in order. An error means that the agent
// could not be reached or went away in the middle; how the turn itself ended stands in
// its end.
func (l *link) Turn(ctx context.Context, what runtime.Ask, sink func(event.Event)) (event.End, error) {
	return again(ctx, l, gateway.NotTaken, func(c *gateway.Client) (end event.End, err error) {
		err = gateway.Turn.Follow(ctx, c, what, func() {}, func(e event.Event) bool {
			sink(e)
			if e.Kind == event.TurnEnd && e.End != nil {
				end = *e.End
				return true
			}
			return false
		})
		return end, err
	})
}

// Stop ends the turn that runs in a conversation. One whose agent went away runs no more.
func (l *link) Stop(ctx context.Context, session string) (bool, error) {
	return gateway.Stop.Ask(ctx, l.way().client, session)
}

// Answer gives a person's word on a question. With its agent a question is gone.
func (l *link) Answer(ctx context.Context, id, answer, by string) error {
	_, err := gateway.Answer.Ask(ctx, l.way().client, gateway.Word{ID: id, Answer: answer, By: by})
	return err
}

// AuditExport writes the lines of the audit. It is not tried again once a part of them
// may be out.
func (l *link) AuditExport(ctx context.Context, w io.Writer) error {
	_, err := again(ctx, l, gateway.NotTaken, func(c *gateway.Client) (struct{}, error) {
		return struct{}{}, gateway.AuditExport.Copy(ctx, c, w)
	})
	return err
}
