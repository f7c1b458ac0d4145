package warm

import (
	"context"
	"errors"
	"time"

	"hardshell/runtime/model"
)

const (
	// idleAfter is the silence after a turn before anything is done ahead of need.
	idleAfter = 2 * time.Second
	// lookAgain is the wait after something was in the way: heat, or a server that is
	// not there.
	lookAgain = time.Minute
	// lookSeldom bounds the wait before what failed is tried again: each time in a
	// row it is twice as long.
	lookSeldom = time.Hour
)

// failure is what failed while nobody talked.
type failure struct {
	times int    // in a row
	why   string // what was logged of it
}

// Idle has the server hold what the next turn needs, while nobody talks, until ctx
// ends: at once for the session that is named (none: not at once), and after each turn
// that left something else in the cache. A conversation that nearly fills its window
// is compacted then, so that no turn has to wait for it. Nothing is done when it is
// switched off (model.warm_up), when a turn runs, or while the board is too hot or
// short of power.
func (k *Keeper) Idle(ctx context.Context, session string) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if session == "" {
		timer.Stop()
	} else {
		k.Used(session)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.kick:
			timer.Reset(idleAfter)
		case <-timer.C:
			if k.Tend(ctx) {
				timer.Reset(k.patience())
			}
		}
	}
}

// Tend does what is due now, once, and reports whether something was in the way.
func (k *Keeper) Tend(ctx context.Context) (again bool) {
	if !k.cfg.On {
		return false
	}
	err := k.quiet(ctx, func(ctx context.Context) error {
		if again = k.spare(ctx) != ""; again {
			return nil
		}
		c, err := k.used(ctx)
		if err != nil {
			return err
		}
		if err := c.Tidy(ctx); err != nil {
			return err
		}
		if k.cfg.SubSlot && k.unseeded(c) {
			return k.seedBoth(ctx, c)
		}
		return k.read(ctx, c)
	})
	k.tended(err)
	return again || err != nil
}

// tended notes how it went. A failure is told once, in log and status, until it is
// over or another one: the first question tells it in full. A server that is not
// there costs nothing to ask, so its absence makes nobody wait longer.
func (k *Keeper) tended(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.failing = failure{}
		return
	}
	k.failing.times++
	var m *model.Error
	if errors.As(err, &m) && m.Code == model.Unreachable {
		k.failing.times = 1
	}
	if why := err.Error(); why != k.failing.why {
		k.failing.why = why
		k.cfg.Log.Warn("nothing is read ahead of need", "why", why)
	}
}

// patience is the wait before the next try.
func (k *Keeper) patience() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	wait := lookAgain
	for i := 1; i < k.failing.times && wait < lookSeldom; i++ {
		wait *= 2
	}
	return min(wait, lookSeldom)
}
