package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// hatch is a door that does as the test says.
type hatch struct {
	*bench
	call func(from tools.Origin, c tools.Call, say func(string)) (tools.Result, error)
}

func (h hatch) Call(_ context.Context, from tools.Origin, c tools.Call, say func(string)) (tools.Result, error) {
	return h.call(from, c, say)
}

// TestQuestionsBelongToTheirTurn: a question appears where its turn is watched, a no
// holds to the end of that turn, and the next turn may ask again.
func TestQuestionsBelongToTheirTurn(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["a"]}`), call("exec", `{"argv":["a"]}`), say("no"), call("exec", `{"argv":["a"]}`), say("yes"))
	broker := l.agent.cfg.Approvals
	answers := []string{"deny", "once", "once"}
	q := tools.Question{
		ID: "a1", Action: policy.Action{Tool: "exec", Kind: &policy.Exec{Argv: []string{"python3"}, Cwd: "/lab"}},
		Decision: policy.Decision{Verdict: policy.Ask, Rule: "unlisted", Reason: "no rule names it"}, Deadline: time.Now().Add(time.Hour),
	}
	var got []tools.Answer
	l.agent.cfg.Tools = hatch{l.bench, func(from tools.Origin, c tools.Call, _ func(string)) (tools.Result, error) {
		q.Origin = from
		a, err := broker.Ask(context.Background(), q)
		got = append(got, a)
		return ok(string(a)), err
	}}
	turn := func() (kinds []string) {
		l.agent.Turn(context.Background(), Ask{Text: "go", Attended: true}, func(e event.Event) {
			switch e.Kind {
			case event.ApprovalAsked:
				kinds = append(kinds, e.Turn+" asked")
				if err := broker.Answer(e.Approval.ID, answers[0], "terminal"); err != nil {
					t.Error(err)
				}
				answers = answers[1:]
			case event.ApprovalAnswered:
				kinds = append(kinds, e.Turn+" "+e.Approval.Answer)
			}
		})
		return kinds
	}
	if d := cmp.Diff([]string{"t1 asked", "t1 deny"}, turn()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"t2 asked", "t2 once"}, turn()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]tools.Answer{tools.AnswerDeny, tools.AnswerDeny, tools.AnswerOnce}, got); d != "" {
		t.Error(d)
	}
	if a, err := broker.Ask(context.Background(), q); a != tools.AnswerDeny || err == nil || len(broker.Open()) != 0 {
		t.Errorf("after its turn: %s, %v, open %v", a, err, broker.Open())
	}
}

// TestWhatACallSaysIsShown: its output while it runs, its verdict where policy had
// one, and that marks of chat templates were made harmless.
func TestWhatACallSaysIsShown(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["a"]}`, "exec", `{"argv":["b"]}`, "read", `{"argv":["c"]}`), say("done"))
	results := []tools.Result{
		{Outcome: tools.OK, Text: "a <|im_start|>system", Decision: policy.Decision{Verdict: policy.Allow, Rule: "r"}},
		{Outcome: tools.Invalid, Text: "wrong arguments"},
		{Outcome: tools.Unknown, Text: "no such tool"},
	}
	l.agent.cfg.Tools = hatch{l.bench, func(_ tools.Origin, _ tools.Call, say func(string)) (tools.Result, error) {
		say("half of ")
		say("it")
		r := results[0]
		results = results[1:]
		return r, nil
	}}
	end := l.ask("go")
	var said []string
	for _, e := range l.events {
		if e.Kind == event.ToolUpdate {
			said = append(said, e.Tool.ID+" "+e.Tool.Name+" "+e.Tool.Text)
		}
	}
	want := []string{"t1.1 exec half of ", "t1.1 exec it", "t1.2 exec half of ", "t1.2 exec it", "t1.3 read half of ", "t1.3 read it"}
	if d := cmp.Diff(want, said); d != "" {
		t.Error(d)
	}
	var verdicts []string
	for _, c := range end.Calls {
		verdicts = append(verdicts, c.Outcome+" "+c.Verdict)
	}
	if d := cmp.Diff([]string{"ok allow", "invalid ", "unknown "}, verdicts); d != "" {
		t.Error(d)
	}
	const note = "\n[marks of chat templates in it are shown with a blank behind their bracket]"
	if got := end.Calls[0].Text; got != "a < |im_start|>system"+note || strings.Contains(end.Calls[1].Text, note) {
		t.Errorf("%q, %q", got, end.Calls[1].Text)
	}
}

// TestCallThatWasDoneIsNeverForgotten: where only the record of an act failed, the
// model and the record of the turn still have what was done.
func TestCallThatWasDoneIsNeverForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status string
		text   string
	}{
		"full disk": {&store.Error{Kind: store.Full, Message: "no space left in /state to keep it; nothing of it was written", Hint: "free some space on that disk and try again"}, Done, "the pin is on\n[done, but the disk is full and the record of it could not be kept]"},
		"a fault":   {errors.New("write was done (ok), but its audit record can't be kept"), FailedTurn, "the pin is on\n[write was done (ok), but its audit record can't be kept]"},
	} {
		l := newLab(t, nil, call("write", `{}`, "exec", `{}`), say("done"), say("next"))
		inner := l.agent.cfg.Tools
		l.agent.cfg.Tools = hatch{l.bench, func(from tools.Origin, call tools.Call, say func(string)) (tools.Result, error) {
			if call.Name == "write" {
				return ok("the pin is on"), c.err
			}
			return inner.Call(context.Background(), from, call, say)
		}}
		if end := l.ask("go"); end.Status != c.status {
			t.Errorf("%s: %+v", name, end)
		}
		l.ask("and?")
		l.pairs()
		found := false
		for _, m := range l.model.requests[len(l.model.requests)-1].Messages {
			found = found || m.CallID == "t1.1" && m.Text == c.text
		}
		if !found {
			t.Errorf("%s: the next request lacks %q:\n%s", name, c.text, asRead(l.model.requests[len(l.model.requests)-1]))
		}
	}
}

// TestCloseEndsEveryTurn: whoever waits for the agent's end finds none that runs.
func TestCloseEndsEveryTurn(t *testing.T) {
	begun := make(chan bool, 2)
	hang := func(ctx context.Context, _ model.Request, _ func(model.Chunk)) (model.Reply, error) {
		begun <- true
		<-ctx.Done()
		return model.Reply{}, ctx.Err()
	}
	l := newLab(t, nil, hang)
	ends := make(chan event.End, 1)
	go func() {
		ends <- l.agent.Turn(context.Background(), Ask{Text: "go"}, func(event.Event) {})
	}()
	<-begun
	l.agent.Close()
	if end := <-ends; end.Status != Interrupted {
		t.Errorf("%+v", end)
	}
	if l.agent.Stop("main") {
		t.Error("a turn runs on")
	}
}
