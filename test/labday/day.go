package labday

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hardshell/runtime"
	"hardshell/runtime/event"
)

// zone is the lab's.
var zone = time.FixedZone("Europe/Berlin", 3600)

// step is one thing that happens on the day.
type step struct {
	day   int    // of the two
	clock string // local time
	kind  string // chat, cron, heartbeat, wake, sub-agent
	text  string // what is said
	fed   bool   // by the harness, in the place of an engine that comes later
}

// steps are the lab day: twelve chat turns, two cron turns, a heartbeat, the end of a
// background command, a sub-agent, a note in the memory, a skill, a change of date.
var steps = []step{
	{0, "09:02", "chat", "Good morning. What is on the bench?", false},
	{0, "09:04", "chat", "What does logs/burn-in.log say?", false},
	{0, "09:07", "chat", "Is that more than C-012 had?", false},
	{0, "09:11", "chat", "Start the soak of C-017, 90 minutes.", false},
	{0, "09:12", "chat", "Remember that the soak is at 30 W.", false},
	{0, "10:41", "wake", "", false},
	{0, "10:44", "chat", "Bring the codec up: how do I begin?", false},
	{0, "10:52", "chat", "Write the test plan, five steps.", false},
	{0, "10:53", "sub-agent", "Count the warnings in logs/burn-in.log.", false},
	{0, "10:55", "chat", "What did the helper find?", false},
	{0, "23:30", "cron", "Nightly check of the bench.", true},
	{1, "06:00", "heartbeat", "Heartbeat.", true},
	{1, "08:30", "cron", "Morning report for Mara.", true},
	{1, "09:01", "chat", "Where did we stop yesterday?", false},
	{1, "09:05", "chat", "Rails are fine. And now?", false},
	{1, "09:09", "chat", "Idle current is 74 mA.", false},
	{1, "09:12", "chat", "Thank you, that is all for now.", false},
}

// first is the first day of the two.
var first = time.Date(2026, 11, 30, 0, 0, 0, 0, zone)

// at is the step's time.
func (s step) at() time.Time {
	t, err := time.Parse("15:04", s.clock)
	if err != nil { // the table is ours
		panic("labday: internal error: " + err.Error())
	}
	return first.AddDate(0, 0, s.day).Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
}

// Play plays the day and gives what each request cost. The error is that of a turn
// that did not end as it should, or of a prefix that moved.
func (b *Bench) Play(ctx context.Context) ([]Request, error) {
	b.Clock.Set(steps[0].at().Add(-time.Minute))
	b.Agent.Tend(ctx) // the start: nobody has spoken yet
	for _, s := range steps {
		b.Clock.Set(s.at())
		b.Tap.Expect(s.kind)
		if err := b.step(ctx, s); err != nil {
			return nil, fmt.Errorf("%s, %s %q: %w", s.clock, s.kind, s.text, err)
		}
		b.Agent.Tend(ctx) // idle until the next step
	}
	return b.Tap.Requests()
}

// step does one step.
func (b *Bench) step(ctx context.Context, s step) error {
	silent := func(event.Event) {}
	switch s.kind {
	case "wake":
		close(b.soak.end)
		select {
		case session := <-b.ended:
			before := b.Tap.count()
			b.Agent.Wake(ctx, session)
			if b.Tap.count() == before {
				return errors.New("nobody was woken")
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case "sub-agent":
		return ended(b.Agent.Sub(ctx, runtime.Task{Run: "count", Text: s.text, Tools: []string{"read"}}, silent))
	}
	return ended(b.Agent.Turn(ctx, runtime.Ask{Text: s.text, Run: s.kind, Attended: s.kind == "chat"}, silent))
}

// ended is the error of a turn that failed.
func ended(e event.End) error {
	if e.Status == runtime.Done {
		return nil
	}
	if e.Error != nil {
		return fmt.Errorf("the turn ended as %s: %w", e.Status, e.Error)
	}
	return fmt.Errorf("the turn ended as %s", e.Status)
}
