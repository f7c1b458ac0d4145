package runtime

import (
	"context"
	"errors"
	"time"

	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

const (
	// idleAfter is the silence after a turn before anything is done ahead of need.
	idleAfter = 2 * time.Second
	// lookAgain is when something that was in the way is looked at once more: heat,
	// or a server that is not there.
	lookAgain = time.Minute
	// lookSeldom bounds the wait before what failed is tried again: each time in a
	// row it is twice as long.
	lookSeldom = time.Hour
)

// fruitless is what failed while nobody talked.
type fruitless struct {
	times int    // in a row
	why   string // told already
}

// Idle has the server hold what the next turn needs, while nobody talks, until ctx
// ends: at once for the session that is named, and after each turn that left something else in the cache. A
// conversation that fills its window is compacted then, so that no turn has to wait
// for it. Nothing is done when warm-up is off (model.warm_up), when a turn runs, or
// while the board is too hot or short of power.
func (a *Agent) Idle(ctx context.Context, session string) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if session == "" {
		timer.Stop()
	} else {
		a.note(session)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.stir:
			timer.Reset(idleAfter)
		case <-timer.C:
			if a.Tend(ctx) {
				timer.Reset(a.patience())
			}
		}
	}
}

// Tend does what is due now, once, and reports whether something was in the way.
func (a *Agent) Tend(ctx context.Context) (again bool) {
	if !a.cfg.WarmUp {
		return false
	}
	err := a.quiet(ctx, func(ctx context.Context) error {
		if again = a.spare(ctx) != ""; again {
			return nil
		}
		s, c, err := a.main(ctx)
		if err != nil {
			return err
		}
		if err := a.tidy(ctx, s, c); err != nil {
			return err
		}
		if a.cfg.SubSlot && a.unseeded(c) {
			return a.seedBoth(ctx, s, c)
		}
		return a.warm(ctx, c, s)
	})
	a.tended(err)
	return again || err != nil
}

// tended notes how it went. A failure is told once, in log and status, until it is
// over or another one: the first question tells it in full. A server that is not
// there costs nothing to ask, so its absence makes nobody wait longer.
func (a *Agent) tended(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.failing = fruitless{}
		return
	}
	a.failing.times++
	var m *model.Error
	if errors.As(err, &m) && m.Code == model.Unreachable {
		a.failing.times = 1
	}
	if why := err.Error(); why != a.failing.why {
		a.failing.why = why
		a.cfg.Log.Warn("nothing is read ahead of need", "why", why)
	}
}

// patience is how long what was in the way is left alone.
func (a *Agent) patience() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	wait := lookAgain
	for i := 1; i < a.failing.times && wait < lookSeldom; i++ {
		wait *= 2
	}
	return min(wait, lookSeldom)
}

// seedBoth seeds the slots of the main prompt and of any sub-agent's.
func (a *Agent) seedBoth(ctx context.Context, s *session.Session, c choice) error {
	main, err := a.prefill(ctx, c, s)
	if err != nil {
		return err
	}
	sub, err := a.subRequest(ctx, c)
	if err != nil {
		return err
	}
	return a.seed(ctx, c, model.Warmup, main, sub)
}

// Working reports whether a turn of this agent is under way.
func (a *Agent) Working() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.turns) > 0
}

// spare says why nothing should be read ahead of need now, and keeps it for status.
func (a *Agent) spare(ctx context.Context) string {
	why := ""
	if a.cfg.Spare != nil {
		why = a.cfg.Spare(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if why != "" && a.spared == "" {
		a.cfg.Log.Warn("no warm-up", "why", why)
	}
	a.spared = why
	return why
}

// note remembers which of the agent's own sessions is used.
func (a *Agent) note(session string) {
	if isSub(session) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.talked = session
}
