package runtime

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// twin is a second agent over the store, the lane and the ledger of a lab's.
func (l *lab) twin(steps ...step) *lab {
	l.t.Helper()
	cfg := l.agent.cfg
	w := &lab{t: l.t, model: &script{steps: steps}, files: &files{}, bench: l.bench, cat: l.cat}
	cfg.ID, cfg.Model, cfg.Files = "night", w.model, w.files
	w.agent = New(cfg)
	return w
}

// TestAgentsDoNotMix holds that two agents over one store have conversations of
// their own, also under the same name, and refuse each other's.
func TestAgentsDoNotMix(t *testing.T) {
	l := newLab(t, nil, say("Noted."), say("Noted."), say("Amber."))
	n := l.twin(say("Noted."), call("exec", `{}`), say("Onyx."))
	l.ask("the word is amber")
	n.ask("the word is onyx")
	l.do(t.Context(), Ask{Session: "rig", Text: "hello"})
	if end := n.do(t.Context(), Ask{Session: "night/main", Text: "which word?"}); end.Answer != "Onyx." {
		t.Errorf("%+v", end)
	}
	l.ask("which word?")
	var said [2][]string
	for i, one := range []*lab{l, n} {
		for _, m := range mustSession(one, one.agent.sessions.own("")).Messages() {
			said[i] = append(said[i], m.Text)
		}
	}
	want := [2][]string{
		{"the word is amber", "Noted.", "which word?", "Amber."},
		{"the word is onyx", "Noted.", "which word?", "", "exec says hi", "Onyx."},
	}
	if d := cmp.Diff(want, said); d != "" {
		t.Error(d)
	}
	for _, bad := range []struct {
		at *lab
		id string
	}{{l, "night/main"}, {n, "main"}, {n, "rig"}, {n, "dusk/main"}} {
		if end := bad.at.do(t.Context(), Ask{Session: bad.id, Text: "hello"}); end.Error == nil || end.Error.Code != "bad_session" {
			t.Errorf("agent %s took session %s: %+v", bad.at.agent.cfg.ID, bad.id, end)
		}
		if bad.at.agent.Reset(bad.id) == nil {
			t.Errorf("agent %s reset session %s", bad.at.agent.cfg.ID, bad.id)
		}
		if _, err := bad.at.agent.Record(bad.id, ""); err == nil {
			t.Errorf("agent %s gave a record of %s", bad.at.agent.cfg.ID, bad.id)
		}
		if _, err := bad.at.agent.View(t.Context(), ViewQuery{Session: bad.id}); err == nil {
			t.Errorf("agent %s showed the prompt of %s", bad.at.agent.cfg.ID, bad.id)
		}
	}
	for _, s := range n.agent.Status(t.Context()).Sessions {
		if owner, _ := session.Owner(s.ID); owner != "night" {
			t.Errorf("agent night tells of session %s", s.ID)
		}
	}
}

// TestPriorityHoldsAcrossAgents holds that a person at one agent goes before a job
// of another one that waited longer.
func TestPriorityHoldsAcrossAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go1, went := make(chan struct{}), []string{}
		wait := func(name string, until chan struct{}) step {
			return func(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
				went = append(went, name)
				if until != nil {
					<-until
				}
				return say("ok")(ctx, q, chunk)
			}
		}
		l := newLab(t, nil, wait("person", nil))
		n := l.twin(wait("job 1", go1), wait("job 2", nil))
		run := func(a *Agent, ask Ask) { go a.Turn(t.Context(), ask, func(event.Event) {}) }
		run(n.agent, Ask{Session: "night/a", Text: "x", Run: "cron"})
		synctest.Wait()
		run(n.agent, Ask{Session: "night/b", Text: "x", Run: "cron"})
		synctest.Wait()
		run(l.agent, Ask{Text: "x"})
		synctest.Wait()
		if d := cmp.Diff([]string{"main", "night/b"}, l.agent.Status(t.Context()).Waiting); d != "" {
			t.Errorf("the queue, as either agent tells it: %s", d)
		}
		close(go1)
		synctest.Wait()
		if want := []string{"job 1", "person", "job 2"}; !slices.Equal(went, want) {
			t.Errorf("went %v, want %v", went, want)
		}
	})
}
