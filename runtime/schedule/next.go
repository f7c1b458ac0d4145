package schedule

import "time"

// horizon is how many days ahead an occurrence is looked for: a 29 February that
// must also be a century's leap year is at most eight years away.
const horizon = 366 * 9

// Occurrence is one time at which a job is due.
type Occurrence struct {
	// At is the instant, in the zone that was asked for.
	At time.Time
	// Moved is true when the local time does not exist on that day and the run
	// comes when the gap ends.
	Moved bool
}

// next gives the first occurrence after an instant, in a zone. It is false when
// there is none, which Parse refuses, so only the zero Expr has none.
func (e Expr) next(after time.Time, zone *time.Location) (Occurrence, bool) {
	after = after.In(zone)
	y, m, d := after.Date()
	// The day before is looked at too: a run that was moved out of a gap at
	// midnight belongs to a wall time of another date.
	for i := -1; i < horizon; i++ {
		day := time.Date(y, m, d+i, 0, 0, 0, 0, time.UTC) // a calendar day, not an instant
		if !e.onDay(day) {
			continue
		}
		if o, ok := e.inDay(day, after, zone); ok {
			return o, true
		}
	}
	return Occurrence{}, false
}

// NextN gives the next n occurrences.
func (e Expr) NextN(after time.Time, zone *time.Location, n int) []Occurrence {
	out := make([]Occurrence, 0, n)
	for len(out) < n {
		o, ok := e.next(after, zone)
		if !ok {
			break
		}
		out = append(out, o)
		after = o.At
	}
	return out
}

// onDay reports whether a calendar day fits. Day of month and day of week are
// alternatives when both are restricted.
func (e Expr) onDay(day time.Time) bool {
	if e.month&(1<<uint(day.Month())) == 0 {
		return false
	}
	dom := e.dom&(1<<uint(day.Day())) != 0
	dow := e.dow&(1<<uint(day.Weekday())) != 0
	if e.dom&star != 0 || e.dow&star != 0 {
		return dom && dow
	}
	return dom || dow
}

// inDay is the first occurrence of a calendar day after an instant.
func (e Expr) inDay(day, after time.Time, zone *time.Location) (Occurrence, bool) {
	if e.hour == everyHour {
		return e.realTime(day, after, zone)
	}
	for h := range 24 {
		if e.hour&(1<<uint(h)) == 0 {
			continue
		}
		for m := range 60 {
			if e.minute&(1<<uint(m)) == 0 {
				continue
			}
			o := resolve(day, h, m, zone)
			if o.At.After(after) {
				return o, true
			}
		}
	}
	return Occurrence{}, false
}

// realTime walks the real minutes of a calendar day, of which there are 1,380 or
// 1,500 when the clock jumps.
func (e Expr) realTime(day, after time.Time, zone *time.Location) (Occurrence, bool) {
	from := resolve(day, 0, 0, zone).At
	to := resolve(day.AddDate(0, 0, 1), 0, 0, zone).At
	if after.After(from) {
		from = after.Truncate(time.Minute)
	}
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		if t.After(after) && e.minute&(1<<uint(t.Minute())) != 0 {
			return Occurrence{At: t}, true
		}
	}
	return Occurrence{}, false
}

// resolve turns a wall time into an instant: the first of two that a repeated
// hour offers, the end of the gap for one that does not exist.
func resolve(day time.Time, hour, minute int, zone *time.Location) Occurrence {
	wall := day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
	before, after := offset(wall.Add(-24*time.Hour), zone), offset(wall.Add(24*time.Hour), zone)
	early, late := wall.Add(-max(before, after)), wall.Add(-min(before, after))
	for _, t := range []time.Time{early, late} {
		if offset(t, zone) == wall.Sub(t) {
			return Occurrence{At: t.In(zone)}
		}
	}
	// In a gap the clock jumps from the smaller to the larger offset; read with
	// the smaller one, the wall time lies behind the jump.
	start, _ := late.In(zone).ZoneBounds()
	return Occurrence{At: start, Moved: true}
}

// offset is how far a zone is ahead of UTC at an instant.
func offset(t time.Time, zone *time.Location) time.Duration {
	_, s := t.In(zone).Zone()
	return time.Duration(s) * time.Second
}
