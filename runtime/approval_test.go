package runtime

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/tools"
)

// desk is an approvals desk with one viewer that keeps what it is shown and, if
// answer is set, answers every question so.
func desk(answer string) (*Approvals, *[]event.Event) {
	d := NewApprovals(time.Now)
	var seen []event.Event
	d.join("t1", func(e event.Event) {
		seen = append(seen, e)
		if e.Kind == event.ApprovalAsked && answer != "" {
			if err := d.Answer(e.Approval.ID, answer, "terminal"); err != nil {
				panic(err)
			}
		}
	})
	return d, &seen
}

func pythonRun(argv ...string) tools.Question {
	return tools.Question{
		Origin:   tools.Origin{Session: "main", Turn: "t1", Attended: true},
		Action:   policy.Action{Kind: policy.KindExec, Tool: "exec", Exec: &policy.Exec{Argv: argv, Cwd: "/lab"}},
		Decision: policy.Decision{Verdict: policy.Ask, Rule: "exec.unlisted", Reason: "no rule names it"},
		Deadline: time.Now().Add(10 * time.Minute),
	}
}

func TestOnceAndSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, seen := desk("once")
		for range 2 {
			if a, err := d.Ask(t.Context(), pythonRun("python3", "x.py")); a != tools.AnswerOnce || err != nil {
				t.Fatal(a, err)
			}
		}
		if len(*seen) != 4 {
			t.Errorf("once was asked %d times in two calls", len(*seen)/2)
		}
		d, seen = desk("session")
		for range 3 {
			if a, err := d.Ask(t.Context(), pythonRun("python3", "x.py")); a != tools.AnswerSession || err != nil {
				t.Fatal(a, err)
			}
		}
		if len(*seen) != 2 {
			t.Errorf("session: %d events, want one question and its answer", len(*seen))
		}
		asked := (*seen)[0].Approval
		want := &event.Approval{
			ID: "a1", Tool: "exec", Subject: asked.Subject, Reason: "no rule names it", Rule: "exec.unlisted",
			Digest: pythonRun("python3", "x.py").Action.Digest(), Deadline: asked.Deadline,
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Error(diff)
		}
		// A changed argument is another action and is asked anew.
		if _, err := d.Ask(t.Context(), pythonRun("python3", "y.py")); err != nil || len(*seen) != 4 {
			t.Errorf("%d events after another action: %v", len(*seen), err)
		}
		// Another session does not inherit the answer.
		q := pythonRun("python3", "x.py")
		q.Origin.Session = "other"
		if _, err := d.Ask(t.Context(), q); err != nil || len(*seen) != 6 {
			t.Errorf("%d events in another session: %v", len(*seen), err)
		}
	})
}

func TestDenialIsFinalForTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, seen := desk("deny")
		for range 3 {
			if a, _ := d.Ask(t.Context(), pythonRun("python3")); a != tools.AnswerDeny {
				t.Fatal(a)
			}
		}
		if len(*seen) != 2 {
			t.Errorf("asked %d times", len(*seen)/2)
		}
		d.leave("t1")
		d.join("t1", func(event.Event) {})
		if len(d.denied) != 0 {
			t.Error("the denial outlives its turn")
		}
	})
}

func TestDeadlineAndTurnEndDeny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := desk("")
		began := time.Now()
		if a, _ := d.Ask(t.Context(), pythonRun("python3")); a != tools.AnswerExpired {
			t.Error(a)
		}
		if waited := time.Since(began); waited != 10*time.Minute {
			t.Errorf("waited %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		d.leave("t1") // the expiry counts as a denial of its turn
		d.join("t1", func(event.Event) {})
		if a, _ := d.Ask(ctx, pythonRun("python3")); a != tools.AnswerDeny {
			t.Error(a)
		}
		if open := d.Open(); len(open) != 0 {
			t.Errorf("%d questions stay open", len(open))
		}
	})
}

func TestCase131_NobodyPresent(t *testing.T) {
	d, seen := desk("once")
	q := pythonRun("python3")
	q.Origin.Attended = false
	if a, err := d.Ask(t.Context(), q); a != tools.AnswerDeny || err != nil || len(*seen) != 0 {
		t.Errorf("%v %v, %d events", a, err, len(*seen))
	}
	unseen := pythonRun("python3")
	unseen.Origin.Turn = "t9"
	if a, err := d.Ask(t.Context(), unseen); a != tools.AnswerDeny || err == nil {
		t.Errorf("a turn that nobody watches: %v %v", a, err)
	}
}

func TestAnswersAreChecked(t *testing.T) {
	d, _ := desk("")
	for _, c := range [][2]string{{"a1", "once"}, {"a1", "always"}, {"", ""}} {
		if err := d.Answer(c[0], c[1], "terminal"); err == nil {
			t.Errorf("Answer(%q, %q) was taken", c[0], c[1])
		}
	}
}

func TestTwinAnswersCountOnce(t *testing.T) {
	d := NewApprovals(time.Now)
	taken := make(chan error, 8)
	d.join("t1", func(e event.Event) {
		if e.Kind == event.ApprovalAsked {
			for i := range 8 {
				go func() { taken <- d.Answer(e.Approval.ID, []string{"once", "deny"}[i%2], "terminal") }()
			}
		}
	})
	if _, err := d.Ask(t.Context(), pythonRun("python3")); err != nil {
		t.Fatal(err)
	}
	won := 0
	for range 8 {
		if <-taken == nil {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d answers were taken", won)
	}
}
