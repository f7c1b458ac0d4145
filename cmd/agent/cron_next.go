package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/schedule"
)

// occurrences is how "agent cron next --json" looks.
type occurrences struct {
	Next  []string `json:"next"`
	Moved []string `json:"moved"` // those of Next whose local time does not exist that day
}

func cronNextCommand() subcommand {
	var tz, from string
	n := 5
	return subcommand{
		name: "cron next", args: "EXPR", short: "when a cron expression is due",
		long: `
Lists the next times at which a five-field cron expression is due in a time zone.
A local time that spring removes runs once when the gap ends and is marked as
moved; one that autumn repeats runs on its first pass only.

  agent cron next '15 7 * * 1-5' --tz Europe/Berlin -n 3
  agent cron next --json '30 2 * * *' --tz Europe/Berlin --from 2027-03-27T12:00:00Z
`,
		flags: func(fs *flag.FlagSet) {
			fs.StringVar(&tz, "tz", "", "IANA `zone`; the configured one unless given")
			fs.StringVar(&from, "from", "", "`instant`, such as 2027-03-27T12:00:00Z; now unless given")
			fs.IntVar(&n, "n", n, "`number` of times")
		},
		run: func(_ context.Context, inv *invocation) error {
			if len(inv.args) != 1 {
				return usageError("put the expression in quotes: agent cron next '15 7 * * *'", "cron next wants one EXPR")
			}
			expr, err := schedule.Parse(inv.args[0])
			if err != nil {
				return usageError("agent help cron next", "%v", err)
			}
			zone, err := zoneOf(inv, tz)
			if err != nil {
				return err
			}
			after, err := instant(from)
			if err != nil {
				return err
			}
			if n < 1 || n > 1000 {
				return usageError("give a number from 1 to 1000", "-n %d is out of range", n)
			}
			showNext(inv, expr.NextN(after, zone, n))
			return nil
		},
	}
}

// zoneOf is the zone of a flag, else the configured one.
func zoneOf(inv *invocation, tz string) (*time.Location, error) {
	if tz == "" {
		cfg, err := inv.load()
		if err != nil {
			return nil, err
		}
		return app.Zone(cfg.Zone, inv.getenv), nil
	}
	loc, err := time.LoadLocation(tz)
	if err != nil || strings.EqualFold(tz, "local") {
		return nil, usageError("write an IANA name such as Europe/Berlin", "--tz %q is no time zone", tz)
	}
	return loc, nil
}

// instant reads --from.
func instant(from string) (time.Time, error) {
	if from == "" {
		return time.Now(), nil
	}
	t, err := time.Parse(time.RFC3339, from)
	if err != nil {
		return t, usageError("write it like 2027-03-27T12:00:00+01:00", "--from %q is no RFC 3339 time", from)
	}
	return t, nil
}

// showNext prints occurrences.
func showNext(inv *invocation, list []schedule.Occurrence) {
	out := occurrences{Next: []string{}, Moved: []string{}}
	for _, o := range list {
		at := o.At.Format(time.RFC3339)
		out.Next = append(out.Next, at)
		note := ""
		if o.Moved {
			out.Moved = append(out.Moved, at)
			note = "  moved: the local time does not exist that day"
		}
		if !inv.json {
			fmt.Fprintf(inv.stdout, "%s  %s%s\n", at, o.At.Format("Mon"), note)
		}
	}
	if inv.json {
		term.JSON(inv.stdout, out)
	}
}
