package runtime

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
)

// Wake runs a turn about what happened in a session while nobody spoke, if the model
// was not told of it meanwhile. It waits its turn: whoever speaks goes first. Those
// who watch the session see it.
func (a *Agent) Wake(ctx context.Context, id string) {
	if session.IsSub(id) {
		return // its parent is told by the sub-agent itself
	}
	begun := false
	end := a.Turn(ctx, Ask{Session: id, Run: string(assembly.Wake)}, func(e event.Event) {
		// A wake that is not needed any more leaves no trace.
		if begun = begun || e.Kind != event.TurnEnd; begun {
			a.watch.show(e)
		}
	})
	if p := end.Error; !begun && p != nil && p.Code != nothingNew {
		a.watch.show(event.Event{
			Kind: event.Warning, Time: a.cfg.Now(), Session: id, Notice: &event.Notice{Code: "not_woken", Message: p.Message, Hint: p.Hint},
		})
	}
}

// nothingNew is the code of a wake that has nothing to tell.
const nothingNew = "nothing_new"

// keyWoken is the key under which a session keeps the number of its wakes since a
// person spoke, so that no restart makes it forget.
const keyWoken = "woken"

// mayWake refuses a wake that has nothing to tell, or that would be one too many in a
// row, and counts it; nil for every other turn. The turn of the session is the
// caller's.
func (a *Agent) mayWake(ask Ask) *event.Problem {
	if !ask.wakes() {
		return nil
	}
	if !pending(a.cfg.Jobs, ask.Session) {
		return &event.Problem{Code: nothingNew, Message: fmt.Sprintf("nothing happened that session %s was not told of", ask.Session), Hint: "ask it something"}
	}
	s, err := a.sessions.get(ask.Session)
	if err != nil {
		return event.ProblemOf(err)
	}
	n := 0
	if was := s.Kept(keyWoken); was != "" {
		if n, err = strconv.Atoi(was); err != nil {
			return event.ProblemOf(fmt.Errorf("the number of wakes of session %s can't be read: %w; say something in it, which begins the count anew", ask.Session, err))
		}
	}
	if n >= a.now().Limits.MaxWakes {
		p := limitReached("turn.max_wakes", a.now().Limits.MaxWakes, "waking without a person's word")
		p.Hint = "the end of the command is told with the next message; raise turn.max_wakes in config.toml for more"
		return p
	}
	if err := s.Keep(keyWoken, strconv.Itoa(n+1)); err != nil {
		return event.ProblemOf(err)
	}
	return nil
}

// pending reports whether something happened that was not delivered to a session yet.
func pending(jobs Jobs, session string) bool {
	if jobs == nil {
		return false
	}
	_, ended := jobs.Commands(session)
	return len(ended) > 0
}

// watchers see the turns of a session that nobody at their place began.
type watchers struct {
	mu   sync.Mutex
	list []*watcher
	over bool
	gone chan struct{} // closed with the agent
}

func newWatchers() *watchers { return &watchers{gone: make(chan struct{})} }

// watcher is one of them; its session is "*" for every one.
type watcher struct {
	session string
	see     func(event.Event)
}

// Watch shows the turns that wake a session, until ctx or the agent ends. see must
// not wait.
func (a *Agent) Watch(ctx context.Context, id string, see func(event.Event)) {
	if id == "" {
		id = session.Main
	}
	a.watch.wait(ctx, &watcher{id, see})
}

// Unwatch ends every Watch.
func (a *Agent) Unwatch() { a.watch.end() }

// wait shows events to one watcher until ctx or the agent ends.
func (w *watchers) wait(ctx context.Context, one *watcher) {
	w.mu.Lock()
	w.list = append(w.list, one)
	w.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-w.gone:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = slices.DeleteFunc(w.list, func(x *watcher) bool { return x == one })
}

// show gives an event to those who watch its session, and to those who watch all
// ("*").
func (w *watchers) show(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.list {
		if one.session == e.Session || one.session == "*" {
			one.see(e)
		}
	}
}

// end lets every wait return.
func (w *watchers) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.over = true
		close(w.gone)
	}
}
