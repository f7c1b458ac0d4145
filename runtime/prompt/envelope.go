package prompt

import (
	"time"

	"hardshell/assembly"
)

// idleGap is the silence after which a message tells its time.
const idleGap = time.Hour

// envelope is the local time that a turn's message tells, zero when it tells none:
// it does on cron and heartbeat, after a silence of idleGap, and on the first message
// of a day that is not the one on which the session's prompt was made.
func (m *Maker) envelope(o Opening) (time.Time, error) {
	now := o.Began
	if m.cfg.Zone != nil {
		now = now.In(m.cfg.Zone)
	}
	run := assembly.Run(o.About.Run)
	tell := run == assembly.Cron || run == assembly.Heartbeat || !o.Spoke.IsZero() && o.Began.Sub(o.Spoke) >= idleGap
	if day := now.Format(time.DateOnly); day != o.Prefix.Created.In(now.Location()).Format(time.DateOnly) {
		told, err := o.Session.Delivered("day", day)
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
