package integration

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/warm"
	"hardshell/test/labday"
	"hardshell/test/ollama"
)

// dayLimit bounds a whole day on a busy machine.
const dayLimit = 10 * time.Minute

// benchOf starts a server with so many slots and an agent before it.
func benchOf(t *testing.T, slots int) (*labday.Bench, *ollama.Server) {
	t.Helper()
	l := theLab(t)
	s, err := labday.Server(t.Context(), l.files.Program, t.TempDir(), slots)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	b, err := labday.New(s, root, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b, s
}

// The goal of the prefix: over a lab day the server reads at most 1.05 tokens for
// each new one, by its own log, and every request that costs more than its new tokens
// does so by a known effect. The bench compares system text and tool array in every
// request.
func TestLabDay(t *testing.T) {
	b, _ := benchOf(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), dayLimit)
	defer cancel()
	all, err := b.Play(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sum := labday.Sum(all, false)
	t.Logf("%d requests: %d tokens evaluated, %d new, %.4f for each", sum.Requests, sum.Evaluated, sum.New, sum.Ratio())
	if sum.Ratio() > 1.05 {
		t.Errorf("%.4f tokens were evaluated for each new one; the goal is 1.05", sum.Ratio())
	}
	kinds := map[string]int{}
	for i, r := range all {
		kinds[r.Kind]++
		if !r.Sub && r.Evaluated < r.New {
			t.Errorf("request %d (%s): %d evaluated of %d new: the count of new ones is wrong", i+1, r.Kind, r.Evaluated, r.New)
		}
	}
	for i, e := range labday.Extras(all) {
		if e.Why == "" {
			t.Errorf("request %d (%s) read %d tokens more than were new, and nothing explains it", i+1, all[i].Kind, e.Tokens)
		}
	}
	for kind, least := range map[string]int{"chat": 12, "cron": 2, "heartbeat": 1, "wake": 1, "sub-agent": 1} {
		if kinds[kind] < least {
			t.Errorf("%d requests of kind %s, want %d at least", kinds[kind], kind, least)
		}
	}
	if got := b.Agent.Status(ctx).Slots; got.Count != 2 {
		t.Errorf("slots: %+v", got)
	}
}

// play runs a turn of the agent's own session, sub one of a sub-agent.
func play(t *testing.T, b *labday.Bench, sub bool) {
	t.Helper()
	silent := func(event.Event) {}
	b.Tap.Expect("chat")
	end := event.End{}
	if sub {
		b.Tap.Expect("sub-agent")
		end = b.Agent.Sub(t.Context(), runtime.Task{Run: "count", Text: "Count the warnings in logs/burn-in.log."}, silent)
	} else {
		end = b.Agent.Turn(t.Context(), runtime.Ask{Text: "Good morning."}, silent)
	}
	if end.Status != runtime.Done {
		t.Fatalf("%+v", end)
	}
}

// reused holds that each request of a session reused 95 % of what it shares with the
// one before. Where the server doesn't count what it reuses, a busy machine can look
// like a lost prompt: then the slots are seeded once more in between, with a request
// that is shorter than a turn.
func reused(t *testing.T, all []labday.Request, sub bool) {
	t.Helper()
	before := 0
	for i, r := range all {
		if r.Sub != sub {
			continue
		}
		if used := r.Prompt - r.Evaluated; 100*used < 95*min(before, r.Prompt) {
			t.Errorf("request %d (%s, slot %d) reused %d of %d tokens", i+1, r.Kind, r.Slot, used, min(before, r.Prompt))
		}
		before = r.Prompt
	}
}

// tended does what an idle agent does until it knows the slots. The scripted model's
// answers are so short that one seed can be over before the other arrives; the agent
// tries that twice.
func tended(t *testing.T, b *labday.Bench) warm.Slots {
	t.Helper()
	for range 2 {
		b.Agent.Tend(t.Context())
		if got := b.Agent.Status(t.Context()).Slots; got.Count != 0 {
			return got
		}
	}
	return b.Agent.Status(t.Context()).Slots
}

// With two slots, seeded, turns of the main session and of a sub-agent follow each
// other and each reuses its own. When the runner is gone, that is noticed, and the
// slots are seeded anew.
func TestTwoSlotsKeepTwoPromptsApart(t *testing.T) {
	b, s := benchOf(t, 2)
	if got := tended(t, b); got.Count != 2 || !strings.Contains(got.Why, " behind the other one and ") {
		t.Fatalf("slots: %+v; in the way: %q", got, b.Agent.Status(t.Context()).Spared)
	}
	for range 3 {
		play(t, b, false)
		play(t, b, true)
	}
	all, err := b.Tap.Requests()
	if err != nil {
		t.Fatal(err)
	}
	reused(t, all, false)
	reused(t, all, true)

	zero := api.Duration{}
	if err := s.Client().Generate(within(t), &api.GenerateRequest{Model: ollama.Scripted, KeepAlive: &zero}, func(api.GenerateResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
	play(t, b, false)
	if got := b.Agent.Status(t.Context()).Slots; got.Count != 0 {
		t.Errorf("the slots of a model that was unloaded still count: %+v", got)
	}
	if got := tended(t, b); got.Count != 2 {
		t.Errorf("slots after the model was loaded anew: %+v", got)
	}
}

// With one slot that is found out, and the main prompt is read again when a sub-agent
// has taken its place: the person's next turn finds it.
func TestOneSlotIsRefilled(t *testing.T) {
	b, _ := benchOf(t, 1)
	if got := tended(t, b); got.Count != 1 {
		t.Fatalf("slots: %+v; in the way: %q", got, b.Agent.Status(t.Context()).Spared)
	}
	for range 2 {
		play(t, b, false)
		play(t, b, true)
		b.Agent.Tend(t.Context())
	}
	play(t, b, false)
	all, err := b.Tap.Requests()
	if err != nil {
		t.Fatal(err)
	}
	var chats, refills []labday.Request
	longest := 0
	for _, r := range all {
		switch {
		case r.Sub:
			continue
		case r.Kind == "chat":
			chats = append(chats, r)
			if used := r.Prompt - r.Evaluated; 100*used < 95*longest {
				t.Errorf("a turn reused %d of %d tokens", used, longest)
			}
		case r.Evaluated > r.Prompt/2:
			refills = append(refills, r)
		}
		longest = max(longest, r.Prompt)
	}
	if len(chats) != 3 || len(refills) < 3 {
		t.Errorf("%d turns, %d readings of the whole prompt ahead of need", len(chats), len(refills))
	}
}
