package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/session"
	"hardshell/tools"
)

func TestPlan_IsToldOnlyWhereTheModelDoesNotKnowIt(t *testing.T) {
	l := newLab(t, nil, say("a"), call("exec", `{"argv":["plan"]}`), say("b"), say("c"), say("d"), say("e"), say("f"))
	l.ask("one")
	steps := []string{"[x] measure", "[>] solder"}
	l.bench.does["exec"] = func(string) tools.Result {
		if err := l.agent.SetPlan(t.Context(), "", steps); err != nil {
			t.Error(err)
		}
		return ok("kept")
	}
	for _, text := range []string{"two", "and now?"} {
		l.ask(text)
		if got := l.lastUser(); got != text {
			t.Errorf("the model has written it itself: %q", got)
		}
	}
	st := l.agent.Status(t.Context())
	if d := cmp.Diff(steps, st.Sessions[0].Plan); d != "" {
		t.Error(d)
	}
	// A compaction leaves the model's own words out.
	s := mustSession(l, session.Main)
	if err := s.Compact(len(s.Messages()), message.Message{Role: message.User, Text: "earlier turns were left out"}); err != nil {
		t.Fatal(err)
	}
	l.ask("three")
	if got := l.lastUser(); !strings.Contains(got, "Your plan:\n- [x] measure\n- [>] solder\n") {
		t.Errorf("lost: %q", got)
	}
	l.ask("four")
	if got := l.lastUser(); got != "four" {
		t.Errorf("told twice: %q", got)
	}
	if err := l.agent.Reset(session.Main); err != nil {
		t.Fatal(err)
	}
	l.ask("five")
	if got := l.lastUser(); got != "five" || l.agent.Status(t.Context()).Sessions[0].Plan != nil {
		t.Errorf("a plan ends with its conversation: %q", got)
	}
	if err := l.agent.SetPlan(t.Context(), "", nil); err != nil {
		t.Error(err)
	}
}
