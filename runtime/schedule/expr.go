package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// maxExpr is the longest expression in bytes; a useful one has a few dozen.
const maxExpr = 256

// star marks a day field that begins with "*", so that day of month and day of
// week are read as crontab does: either, when both are restricted.
const star = 1 << 63

// everyHour is an hour field without restriction.
const everyHour = 1<<24 - 1

// Expr is a five-field cron expression: minute, hour, day of month, month, day
// of week. The zero Expr is never due.
type Expr struct{ minute, hour, dom, month, dow uint64 }

// fields are the five fields in order, with the one-field parser that finds out
// which of them is wrong.
var fields = []struct {
	name   string
	parser cron.Parser
}{
	{"minute", cron.NewParser(cron.Minute)},
	{"hour", cron.NewParser(cron.Hour)},
	{"day of month", cron.NewParser(cron.Dom)},
	{"month", cron.NewParser(cron.Month)},
	{"day of week", cron.NewParser(cron.Dow)},
}

// nicknames are the texts with an @ that mean five fields.
var nicknames = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
	"@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// Parse reads an expression. Sunday may be 0 or 7. A text that could never be due
// (31 November) is refused. Errors name the field.
func Parse(text string) (Expr, error) {
	switch {
	case len(text) > maxExpr:
		return Expr{}, fmt.Errorf("the cron expression has %d bytes and %d are allowed: write five short fields, like \"15 7 * * *\"", len(text), maxExpr)
	case strings.Contains(text, "TZ="):
		return Expr{}, fmt.Errorf("a zone does not belong into the cron expression %q: give it as tz", text)
	}
	spec := strings.TrimSpace(text)
	if strings.HasPrefix(spec, "@") {
		five, ok := nicknames[strings.ToLower(spec)]
		if !ok {
			return Expr{}, fmt.Errorf("%q is no cron expression: use @hourly, @daily, @weekly, @monthly, @yearly, or five fields; for an interval use every", text)
		}
		spec = five
	}
	parts := strings.Fields(spec)
	if len(parts) != len(fields) {
		return Expr{}, fmt.Errorf("a cron expression has five fields (minute, hour, day of month, month, day of week) and %q has %d", text, len(parts))
	}
	var bits [5]uint64
	for i, f := range fields {
		word := parts[i]
		if i == 4 {
			word = sundays(word)
		}
		s, err := parse(f.parser, word)
		if err != nil {
			return Expr{}, fmt.Errorf("the %s field %q of %q is wrong: %w", f.name, parts[i], text, err)
		}
		bits[i] = [5]uint64{s.Minute, s.Hour, s.Dom, s.Month, s.Dow}[i] &^ star
		if strings.HasPrefix(word, "*") || word == "?" {
			bits[i] |= star
		}
	}
	e := Expr{minute: bits[0] &^ star, hour: bits[1] &^ star, dom: bits[2], month: bits[3] &^ star, dow: bits[4]}
	if _, ok := e.next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC); !ok {
		return Expr{}, fmt.Errorf("%q names a day that never comes: check day of month and month", text)
	}
	return e, nil
}

// parse guards the library's parser, which panics on some texts.
func parse(p cron.Parser, word string) (spec *cron.SpecSchedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it can't be read")
		}
	}()
	s, err := p.Parse(word)
	if err != nil {
		return nil, err
	}
	spec, ok := s.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("it is no list of numbers")
	}
	return spec, nil
}

// sundays writes the 7 of a day-of-week field as 0, also as the end of a range.
func sundays(field string) string {
	parts := strings.Split(field, ",")
	for i, p := range parts {
		span, step, stepped := strings.Cut(p, "/")
		from, to, ranged := strings.Cut(span, "-")
		switch {
		case !ranged && span == "7" && !stepped:
			parts[i] = "0"
		case ranged && to == "7" && !stepped && from == "7":
			parts[i] = "0"
		case ranged && to == "7" && !stepped:
			parts[i] = from + "-6,0"
		case ranged && to == "7":
			parts[i] = steppedToSunday(from, step, p)
		}
	}
	return strings.Join(parts, ",")
}

// steppedToSunday writes out a stepped range that ends in Sunday as 7, such as
// 1-7/2, since the library knows no 7. What it can't read it leaves alone.
func steppedToSunday(from, step, whole string) string {
	var lo, by int
	if _, err := fmt.Sscanf(from+" "+step, "%d %d", &lo, &by); err != nil || by < 1 || lo < 0 || lo > 7 {
		return whole
	}
	var days []string
	for d := lo; d <= 7; d += by {
		days = append(days, fmt.Sprint(d%7))
	}
	return strings.Join(days, ",")
}
