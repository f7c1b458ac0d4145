package runtime

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A message tells its time when that is news, and only then.
func TestEnvelope(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC) // 23:00 in Berlin
	var steps []step
	for range 9 {
		steps = append(steps, say("ok"))
	}
	l := newLab(t, func(c *Config) { c.Zone, c.Now = berlin, func() time.Time { return at } }, steps...)
	var got []string
	for _, c := range []struct {
		run  string
		wait time.Duration
	}{
		{"chat", 0},
		{"chat", 40 * time.Minute},
		{"cron", time.Minute},
		{"chat", time.Minute},
		{"heartbeat", time.Minute},
		{"chat", 20 * time.Minute}, // over midnight in Berlin, not in UTC
		{"chat", time.Minute},
		{"chat", time.Hour},
		{"chat", 59 * time.Minute},
	} {
		at = at.Add(c.wait)
		l.do(context.Background(), Ask{Text: "x", Run: c.run})
		q := l.model.requests[len(l.model.requests)-1]
		_, told, _ := strings.Cut(q.Messages[len(q.Messages)-1].Text, "Time: ")
		told, _, _ = strings.Cut(told, "\n")
		got = append(got, told)
	}
	want := []string{
		"", "", "Mon 2026-11-30 23:41 Europe/Berlin (UTC+01:00)", "", "Mon 2026-11-30 23:43 Europe/Berlin (UTC+01:00)",
		"Tue 2026-12-01 00:03 Europe/Berlin (UTC+01:00)", "", "Tue 2026-12-01 01:04 Europe/Berlin (UTC+01:00)", "",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	l.checkPrefix()
}
