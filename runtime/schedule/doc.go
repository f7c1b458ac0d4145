// Package schedule answers when a repeating job is due. It owns the reading of
// five-field cron expressions and the one rule for clocks that jump: a local time
// that spring removes runs once when the gap ends and is marked as moved; a local
// time that autumn repeats runs on its first pass only; an expression whose hour
// is a star follows real time and neither moves nor skips.
//
// From robfig/cron it takes the parser, guarded (the parser panics on some
// texts), and nothing else: that library skips jobs in a spring gap and has no
// memory. It refuses to keep time, to store jobs and to run anything.
//
// Zone data is compiled in, so that a board without zone files does not fall back
// to UTC in silence.
package schedule

import _ "time/tzdata" // boards come without /usr/share/zoneinfo
