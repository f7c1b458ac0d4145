package self

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

type fakeStatus struct{}

func (fakeStatus) SessionStatus(context.Context, string) (State, error) {
	reused := 940
	return State{Time: toolstest.Noon, Zone: "UTC", Model: "qwen3:4b", Window: 8192, Used: 1000, Reused: &reused, Board: "sim", Think: "low", Reasoning: "off"}, nil
}

func (fakeStatus) SetSession(_ context.Context, session string, set policy.Setting) (string, error) {
	if set.Model == "nope" {
		return "", errors.New("model nope is not on the server; choose another")
	}
	return fmt.Sprintf("%s: %s %s", session, set.Model, set.Reasoning), nil
}

func newDoor(t *testing.T) *toolstest.Door {
	t.Helper()
	d := toolstest.NewDoor(t)
	d.Add(NewSessionStatus(fakeStatus{}))
	return d
}

func TestStatusTellsWhatIsUnknown(t *testing.T) {
	d := newDoor(t)
	toolstest.Diff(t, "all known", d.Do(t, "session_status", `{}`).Text, `time: Monday 2026-11-30 12:00:00 +00:00 (UTC)
session: main, run chat
model: qwen3:4b, window 8192 tokens
think: low, reasoning shown: off
last prompt: 1000 tokens, reused 940
board: sim`)
	afternoon := State{Time: toolstest.Noon.Add(125 * time.Minute), Zone: "UTC", TwelveHour: true}
	toolstest.Diff(t, "twelve hours", strings.Split(afternoon.text(tools.Origin{}), "\n")[0], "time: Monday 2026-11-30 2:05:00 PM +00:00 (UTC)")
	zero := 0
	toolstest.Diff(t, "little known", State{Time: toolstest.Noon, ClockDoubt: "it is before the build", Notes: []string{"AGENTS.md changed"}, Reused: &zero}.text(tools.Origin{}), `time: Monday 2026-11-30 12:00:00 +00:00 (+00:00)
clock: not trusted, it is before the build
session: unknown, run unknown
model: unknown, window unknown
think: unknown, reasoning shown: unknown
last prompt: unknown, reused 0
board: unknown
AGENTS.md changed`)
}

func TestStatusSets(t *testing.T) {
	d := newDoor(t)
	for args, want := range map[string]string{
		`{"model":"fast"}`: "main: fast ", `{"reasoning":"on"}`: "main:  on", `{"model":"default","reasoning":"stream"}`: "main: default stream",
		`{"model":"nope"}`: "failed: nothing was set: model nope is not on the server; choose another",
	} {
		toolstest.Diff(t, args, d.Do(t, "session_status", args).Text, want)
	}
	if res := d.Do(t, "session_status", `{"reasoning":"loud"}`); res.Outcome != tools.Invalid {
		t.Errorf("%+v", res)
	}
	d.Policy.Judge = func(a policy.Action, _ policy.Facts) policy.Decision {
		toolstest.Diff(t, "what is judged", a, policy.Action{Tool: "session_status", Kind: &policy.Setting{Model: "big"}})
		return policy.Decision{Verdict: policy.Deny, Rule: "r", Reason: "no"}
	}
	if res := d.Do(t, "session_status", `{"model":"big"}`); res.Outcome != tools.Refused || res.Text != "refused: no (rule r)" {
		t.Errorf("%+v", res)
	}
}
