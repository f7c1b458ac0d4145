package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse("2006-01-02T15:04Z07:00", s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestNext compares whole runs of occurrences with times that were worked out by
// a separate minute-by-minute walk over the zone data.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, expr, zone, from string
		want                   []string // with "moved" behind the time where it was moved
	}{
		{"case073_spring_gap", "30 2 * * *", "Europe/Berlin", "2027-03-27T12:00Z", []string{"2027-03-28T01:00Z moved", "2027-03-29T00:30Z"}},
		{"case074_autumn_once", "10 1 * * *", "America/Chicago", "2026-10-31T12:00Z", []string{"2026-11-01T06:10Z", "2026-11-02T07:10Z"}},
		{"case076_short_day", "20 14 * * 0", "Europe/Berlin", "2027-03-25T11:00Z", []string{"2027-03-28T12:20Z"}},
		{"case077_no_midnight", "0 0 * * *", "Africa/Cairo", "2027-04-29T12:00Z", []string{"2027-04-29T22:00Z moved", "2027-04-30T21:00Z"}},
		{"case083_either_day", "0 9 20 * 1", "UTC", "2026-12-08T00:00Z", []string{"2026-12-14T09:00Z", "2026-12-20T09:00Z", "2026-12-21T09:00Z"}},
		{"gap_steps_collapse", "*/10 2 * * *", "Europe/Berlin", "2027-03-27T12:00Z", []string{"2027-03-28T01:00Z moved", "2027-03-29T00:00Z"}},
		{"real_time_over_gap", "*/30 * * * *", "Europe/Berlin", "2027-03-28T00:20Z", []string{"2027-03-28T00:30Z", "2027-03-28T01:00Z", "2027-03-28T01:30Z"}},
		{"real_time_both_passes", "30 * * * *", "America/Chicago", "2026-11-01T05:40Z", []string{"2026-11-01T06:30Z", "2026-11-01T07:30Z", "2026-11-01T08:30Z"}},
		{"sunday_is_seven", "0 8 * * 7", "UTC", "2026-11-30T00:00Z", []string{"2026-12-06T08:00Z"}},
		{"range_to_seven", "0 8 * * 6-7", "UTC", "2026-11-30T00:00Z", []string{"2026-12-05T08:00Z", "2026-12-06T08:00Z", "2026-12-12T08:00Z"}},
		{"stepped_range_to_seven", "0 8 * * 1-7/3", "UTC", "2026-11-30T00:00Z", []string{"2026-11-30T08:00Z", "2026-12-03T08:00Z", "2026-12-06T08:00Z"}},
		{"star_step_day_counts_as_star", "0 9 */2 * 1", "UTC", "2026-12-01T00:00Z", []string{"2026-12-07T09:00Z", "2026-12-21T09:00Z"}},
		{"leap_day", "0 0 29 2 *", "UTC", "2026-01-01T00:00Z", []string{"2028-02-29T00:00Z", "2032-02-29T00:00Z"}},
		{"nickname", "@daily", "UTC", "2026-11-30T06:00Z", []string{"2026-12-01T00:00Z"}},
		{"half_hour_zone", "0 6 * * *", "Asia/Kolkata", "2026-11-30T01:00Z", []string{"2026-12-01T00:30Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := Parse(c.expr)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range e.NextN(at(t, c.from), zone(t, c.zone), len(c.want)) {
				s := o.At.UTC().Format("2006-01-02T15:04Z")
				if o.Moved {
					s += " moved"
				}
				got = append(got, s)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCase085_ImpossibleDate and TestCase086_Refused: an error that names what is
// wrong, no panic, no spinning.
func TestCase085_ImpossibleDate(t *testing.T) {
	for _, text := range []string{"5 4 31 11 *", "0 0 30 2 *"} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), "never comes") {
			t.Errorf("Parse(%q) = %v, want a refusal that says that the day never comes", text, err)
		}
	}
}

func TestCase086_Refused(t *testing.T) {
	for text, want := range map[string]string{
		"TZ=Europe/Berlin":          "give it as tz",
		"CRON_TZ=":                  "give it as tz",
		"TZ=UTC 0 0 * * *":          "give it as tz",
		"":                          "five fields",
		"* * * *":                   "has 4",
		"* * * * * *":               "has 6",
		"60 * * * *":                "the minute field \"60\"",
		"0 24 * * *":                "the hour field \"24\"",
		"0 0 0 * *":                 "the day of month field \"0\"",
		"0 0 * 13 *":                "the month field \"13\"",
		"0 0 * * 8":                 "the day of week field \"8\"",
		"@every -1h":                "for an interval use every",
		"@every 1ns":                "for an interval use every",
		strings.Repeat(",", 10_000): "256 are allowed",
		strings.Repeat(",", 200):    "five fields",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.40q) = %v, want an error with %q", text, err, want)
		}
	}
}

// TestCase079_ZonesBuiltIn holds that a board without zone files knows zones.
func TestCase079_ZonesBuiltIn(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		t.Error(err)
	}
	if _, err := time.LoadLocation("Mars/Base"); err == nil {
		t.Error("a zone that does not exist was accepted")
	}
}

func TestZeroExprIsNeverDue(t *testing.T) {
	if o, ok := (Expr{}).next(time.Unix(0, 0), time.UTC); ok {
		t.Errorf("the zero Expr is due at %v", o.At)
	}
}

// TestNextProperties: for any expression and start, occurrences rise, none lies
// between a start and its next, and each shows the fields it was asked for unless
// it was moved.
func TestNextProperties(t *testing.T) {
	names := []string{"UTC", "Europe/Berlin", "America/Chicago", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata"}
	rapid.Check(t, func(t *rapid.T) {
		minute, hour := rapid.IntRange(0, 59).Draw(t, "minute"), rapid.IntRange(0, 23).Draw(t, "hour")
		z, err := time.LoadLocation(rapid.SampledFrom(names).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		from := time.Unix(rapid.Int64Range(1767225600, 1861920000).Draw(t, "from"), 0)
		e, err := Parse(fmt.Sprintf("%d %d * * *", minute, hour))
		if err != nil {
			t.Fatal(err)
		}
		last := from
		for _, o := range e.NextN(from, z, 5) {
			if !o.At.After(last) {
				t.Fatalf("%v does not come after %v", o.At, last)
			}
			if gap := o.At.Sub(last); gap > 49*time.Hour {
				t.Fatalf("a daily job pauses %v before %v", gap, o.At)
			}
			if !o.Moved && (o.At.Minute() != minute || o.At.Hour() != hour) {
				t.Fatalf("%v is not %02d:%02d", o.At, hour, minute)
			}
			last = o.At
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"15 7 * * *", "TZ=UTC", "CRON_TZ=", "TZ=0", "*/5 * * * *", "0 0 30 2 *", "0 0 * * 5-7/2", "@every 0s", "? ? ? ? ?", "0-/3 * * * *", "1,,2 * * * *"} {
		f.Add(s)
	}
	from := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			return
		}
		o, ok := e.next(from, time.UTC)
		if !ok || !o.At.After(from) || o.At.Second() != 0 {
			t.Errorf("Parse(%q).Next(%v) = %v, %v", s, from, o, ok)
		}
	})
}

func ExampleParse() {
	e, err := Parse("30 2 * * *")
	if err != nil {
		fmt.Println(err)
		return
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range e.NextN(time.Date(2027, 3, 27, 12, 0, 0, 0, time.UTC), berlin, 2) {
		fmt.Println(o.At.Format(time.RFC3339), "moved:", o.Moved)
	}
	// Output:
	// 2027-03-28T03:00:00+02:00 moved: true
	// 2027-03-29T02:30:00+02:00 moved: false
}
