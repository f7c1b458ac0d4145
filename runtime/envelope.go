package runtime

import (
	"time"

	"hardshell/assembly"
)

// idleGap is the silence after which a message tells its time.
const idleGap = time.Hour

// envelope is the local time that the turn's message tells, zero when it tells none:
// it does on cron and heartbeat, after a silence of idleGap, and on the first message
// of a day that is not the one on which the session's prompt was made.
func (t *turn) envelope() (time.Time, error) {
	now, zone := t.began, t.a.cfg.Zone
	if zone != nil {
		now = now.In(zone)
	}
	t.a.mu.Lock()
	s := t.a.sessions[t.ask.Session] // a session with a turn stays in memory
	last := s.spoke
	s.spoke = t.began
	t.a.mu.Unlock()
	run := assembly.Run(t.ask.Run)
	tell := run == assembly.Cron || run == assembly.Heartbeat || !last.IsZero() && t.began.Sub(last) >= idleGap
	if day := now.Format(time.DateOnly); day != t.prefix.Created.In(now.Location()).Format(time.DateOnly) {
		told, err := t.s.Told("day", day)
		if err != nil {
			return time.Time{}, err
		}
		tell = tell || !told
	}
	if !tell {
		return time.Time{}, nil
	}
	return now, nil
}
