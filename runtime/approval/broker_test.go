package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// shelf is a ledger in memory.
type shelf map[string]map[string]store.Value

func (s shelf) Put(ns, key string, version int, v any) error {
	data, err := json.Marshal(v)
	if s[ns] == nil {
		s[ns] = map[string]store.Value{}
	}
	s[ns][key] = store.Value{Key: key, Version: version, Data: data}
	return err
}

func (s shelf) List(ns string) ([]store.Value, error) { return slices.Collect(maps.Values(s[ns])), nil }
func (s shelf) Delete(ns, key string) error           { delete(s[ns], key); return nil }

// newBroker opens a broker over a shelf.
func newBroker(s shelf) *Broker {
	d, err := Open(time.Now, s)
	if err != nil {
		panic(err)
	}
	return d
}

// broker is an approvals broker with one viewer that keeps what it is shown and, if
// answer is set, answers every question so.
func broker(answer string) (*Broker, *[]event.Event) {
	d := newBroker(shelf{})
	var seen []event.Event
	d.Join("main/t1", func(e event.Event) {
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
		ID:       "a1",
		Origin:   tools.Origin{Session: "main", Turn: "t1", Attended: true},
		Action:   policy.Action{Tool: "exec", Kind: &policy.Exec{Argv: argv, Cwd: "/lab"}},
		Decision: policy.Decision{Verdict: policy.Ask, Rule: "exec.unlisted", Reason: "no rule names it"},
		Deadline: time.Now().Add(10 * time.Minute),
	}
}

func TestOnceAndSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, seen := broker("once")
		for range 2 {
			if a, err := d.Ask(t.Context(), pythonRun("python3", "x.py")); a != tools.AnswerOnce || err != nil {
				t.Fatal(a, err)
			}
		}
		if len(*seen) != 4 {
			t.Errorf("once was asked %d times in two calls", len(*seen)/2)
		}
		d, seen = broker("session")
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
		d.viewers["other/t1"] = d.viewers["main/t1"]
		if _, err := d.Ask(t.Context(), q); err != nil || len(*seen) != 6 {
			t.Errorf("%d events in another session: %v", len(*seen), err)
		}
	})
}

func TestDenialIsFinalForTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, seen := broker("deny")
		for range 3 {
			if a, _ := d.Ask(t.Context(), pythonRun("python3")); a != tools.AnswerDeny {
				t.Fatal(a)
			}
		}
		if len(*seen) != 2 {
			t.Errorf("asked %d times", len(*seen)/2)
		}
		d.Leave("main/t1")
		d.Join("main/t1", func(event.Event) {})
		if len(d.denied) != 0 {
			t.Error("the denial outlives its turn")
		}
	})
}

func TestDeadlineAndTurnEndDeny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := broker("")
		began := time.Now()
		if a, _ := d.Ask(t.Context(), pythonRun("python3")); a != tools.AnswerExpired {
			t.Error(a)
		}
		if waited := time.Since(began); waited != 10*time.Minute {
			t.Errorf("waited %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		d.Leave("main/t1") // the expiry counts as a denial of its turn
		d.Join("main/t1", func(event.Event) {})
		if a, _ := d.Ask(ctx, pythonRun("python3")); a != tools.AnswerDeny {
			t.Error(a)
		}
		if open := d.Open(); len(open) != 0 {
			t.Errorf("%d questions stay open", len(open))
		}
	})
}

func TestCase131_NobodyPresent(t *testing.T) {
	d, seen := broker("once")
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
	d, _ := broker("")
	for _, c := range [][2]string{{"a1", "once"}, {"a1", "perhaps"}, {"", ""}} {
		if err := d.Answer(c[0], c[1], "terminal"); err == nil {
			t.Errorf("Answer(%q, %q) was taken", c[0], c[1])
		}
	}
}

func TestTwinAnswersCountOnce(t *testing.T) {
	d := newBroker(shelf{})
	taken := make(chan error, 8)
	d.Join("main/t1", func(e event.Event) {
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

func TestAlwaysIsAGrantThatOutlivesTheProcess(t *testing.T) {
	kept := shelf{}
	d := newBroker(kept)
	asked := 0
	d.Join("main/t1", func(e event.Event) {
		if e.Kind == event.ApprovalAsked {
			asked++
			if err := d.Answer(e.Approval.ID, "always", "terminal"); err != nil {
				t.Error(err)
			}
		}
	})
	scan := pythonRun("i2cdetect", "-l")
	for range 2 {
		if a, err := d.Ask(t.Context(), scan); a != tools.AnswerAlways || err != nil {
			t.Fatal(a, err)
		}
	}
	again := newBroker(kept) // another process; nobody watches and nobody is asked
	if a, err := again.Ask(t.Context(), scan); a != tools.AnswerAlways || err != nil || asked != 1 {
		t.Errorf("%v %v, asked %d times", a, err, asked)
	}
	other := pythonRun("i2cdetect", "-y", "1")
	if a, _ := again.Ask(t.Context(), other); a != tools.AnswerDeny {
		t.Error("a grant reaches another command:", a)
	}
	unattended := scan
	unattended.Origin.Attended = false
	if a, _ := again.Ask(t.Context(), unattended); a != tools.AnswerDeny {
		t.Error("a grant answers where nobody is present:", a)
	}
	g := again.Grants()
	if len(g) != 1 || g[0].Digest != scan.Action.Digest() || g[0].By != "terminal" {
		t.Fatalf("%+v", g)
	}
	if _, err := again.Revoke(g[0].Digest[:7]); err == nil {
		t.Error("seven characters name a grant")
	}
	if _, err := again.Revoke(g[0].Digest[:8]); err != nil {
		t.Error(err)
	}
	if a, _ := newBroker(kept).Ask(t.Context(), scan); a != tools.AnswerDeny {
		t.Error("a revoked grant still counts:", a)
	}
}

func TestAlwaysIsNotForInterpreters(t *testing.T) {
	d := newBroker(shelf{})
	d.Join("main/t1", func(e event.Event) {
		if e.Kind != event.ApprovalAsked {
			return
		}
		var p *event.Problem
		if err := d.Answer(e.Approval.ID, "always", "terminal"); !errors.As(err, &p) || p.Code != "not_standing" || e.Approval.Standing {
			t.Errorf("%v", err)
		}
		if err := d.Answer(e.Approval.ID, "once", "terminal"); err != nil {
			t.Error(err)
		}
	})
	if a, err := d.Ask(t.Context(), pythonRun("python3", "x.py")); a != tools.AnswerOnce || err != nil {
		t.Error(a, err)
	}
	// A grant that found its way into the ledger all the same counts for nothing.
	forged := shelf{}
	q := pythonRun("python3", "x.py")
	if err := forged.Put(nsGrants, q.Action.Digest(), approvalFmt, Grant{Digest: q.Action.Digest()}); err != nil {
		t.Fatal(err)
	}
	if a, _ := newBroker(forged).Ask(t.Context(), q); a != tools.AnswerDeny {
		t.Error("a forged grant counts:", a)
	}
}

func TestCase130_RestartExpiresQuestions(t *testing.T) {
	kept := shelf{}
	d := newBroker(kept)
	shown := make(chan string, 1)
	d.Join("main/t1", func(e event.Event) {
		if e.Kind == event.ApprovalAsked {
			shown <- e.Approval.ID
		}
	})
	id, err := d.NextID()
	if err != nil {
		t.Fatal(err)
	}
	q := pythonRun("python3")
	q.ID = id
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = d.Ask(ctx, q) }()
	<-shown
	again := newBroker(maps.Clone(kept)) // killed here, started anew
	cancel()
	<-done
	var p *event.Problem
	if err := again.Answer(id, "once", "terminal"); !errors.As(err, &p) || p.Code != "expired" || p.Hint != "ask the agent again" {
		t.Errorf("%v", err)
	}
	if next, err := again.NextID(); err != nil || next == id {
		t.Errorf("id %s is given twice: %v", next, err)
	}
	if third := newBroker(kept); len(third.expired) != 0 || len(third.Open()) != 0 {
		t.Errorf("questions pile up: %v, %v", third.expired, third.Open())
	}
}

func TestCase130_AnAnswerTenSecondsLaterCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newBroker(shelf{})
		d.Join("main/t1", func(e event.Event) {
			if e.Kind == event.ApprovalAsked {
				time.AfterFunc(10*time.Second, func() {
					if err := d.Answer(e.Approval.ID, "once", "terminal"); err != nil {
						t.Error(err)
					}
				})
			}
		})
		began := time.Now()
		if a, err := d.Ask(t.Context(), pythonRun("python3")); a != tools.AnswerOnce || err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("%v %v after %s", a, err, time.Since(began))
		}
	})
}

// Answers for a session that pile up are forgotten, not kept for ever: what comes up
// again is asked anew.
func TestAnswersForASessionAreBounded(t *testing.T) {
	d := newBroker(shelf{})
	for i := range 3*mostGranted + 1 {
		d.remember(event.Approval{Answer: string(tools.AnswerSession)}, fmt.Sprint("s", i), "t1")
		if !d.granted[fmt.Sprint("s", i)] {
			t.Fatalf("answer %d is not remembered", i)
		}
	}
	if n := len(d.granted); n != 1 {
		t.Errorf("%d are remembered", n)
	}
}

// TestAnswersBindOneAgent holds that what a person allows one agent, for the
// session or for always, is asked again for another.
func TestAnswersBindOneAgent(t *testing.T) {
	for _, answer := range []string{"session", "always"} {
		d, seen := broker(answer)
		ask := func(agent string) tools.Answer {
			q := pythonRun("python3", "x.py")
			q.Action.Command().Argv = []string{"ls", "-l"} // may stand for always
			q.Origin.Agent, q.Origin.Session = agent, agent+"/main"
			d.viewers[q.Origin.Session+"/t1"] = d.viewers["main/t1"]
			a, err := d.Ask(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		for i, agent := range []string{"main", "main", "night", "night", "dusk"} {
			if got := ask(agent); got != tools.Answer(answer) {
				t.Fatalf("%s for %s: %s", answer, agent, got)
			}
			if want := []int{2, 2, 4, 4, 6}[i]; len(*seen) != want {
				t.Errorf("%s, question %d for %s: %d events, want %d", answer, i+1, agent, len(*seen), want)
			}
		}
		if answer != "always" {
			continue
		}
		var whose []string
		for _, g := range d.Grants() {
			whose = append(whose, g.Agent)
		}
		slices.Sort(whose)
		if d := cmp.Diff([]string{"", "dusk", "night"}, whose); d != "" {
			t.Error(d)
		}
	}
}
