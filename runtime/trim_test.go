package runtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hardshell/runtime/event"
	"hardshell/tools"
)

// TestAHugeResultIsShortenedToWhatIsFree: the conversation stays and the result gets
// the room that is left. Smallest input of the fault: 20,000 bytes in a window of 8192
// tokens dropped the history and showed 519 of them.
func TestAHugeResultIsShortenedToWhatIsFree(t *testing.T) {
	for name, c := range map[string]struct {
		earlier, size int // turns before it, bytes of the result
		least         int // bytes that are shown at least
		compacted     bool
	}{
		"alone":                   {0, 30_000, 12_000, false},
		"much larger":             {0, 200_000, 12_000, false},
		"after a few turns":       {3, 40_000, 10_000, false},
		"in a conversation, full": {26, 40_000, 5_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			var steps []step
			for range c.earlier {
				steps = append(steps, say(strings.Repeat("word ", 180)))
			}
			l := newLab(t, nil, append(steps, call("read", `{"path":"big.log"}`), say("It is long."), say("Yes."))...)
			l.bench.does["read"] = func(string) tools.Result {
				return ok(strings.Repeat("0123456789abcde\n", c.size/16))
			}
			for i := range c.earlier {
				l.ask(fmt.Sprintf("question %d", i))
			}
			end := l.ask("read it")
			if end.Answer != "It is long." {
				t.Fatalf("%+v", end)
			}
			q := l.model.requests[len(l.model.requests)-1]
			last := q.Messages[len(q.Messages)-1].Text
			if len(last) < c.least || !strings.Contains(last, "shortened by the runtime") {
				t.Errorf("%d of %d bytes are shown: …%q", len(last), c.size, last[max(0, len(last)-120):])
			}
			if tokens := l.agent.ledger.Tokens(len(asRead(q))); tokens > 8192-1024+200 {
				t.Errorf("%d tokens are sent", tokens)
			}
			compacted := slices.ContainsFunc(l.events, func(e event.Event) bool { return e.Kind == event.Warning && e.Notice.Code == "compacted" })
			if compacted != c.compacted || !slices.Contains(l.warnings(), "result_shortened") {
				t.Errorf("warned of %q", l.warnings())
			}
			if end := l.ask("so?"); end.Answer != "Yes." {
				t.Errorf("%+v", end)
			}
			l.pairs()
		})
	}
}
