package runtime

import (
	"context"
	"strings"
	"testing"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

// TestACutAnswerIsTold: the model reads in the next turn's context by what its answer
// was cut and at which limit, once, and history and prefix stay as they are. After a
// death of the process the person is told as well.
func TestACutAnswerIsTold(t *testing.T) {
	part := func(code, cut string) step {
		return func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
			chunk(model.Chunk{Text: "The fan "})
			r := model.Reply{}
			r.Message.Text, r.Message.Cut = "The fan ", cut
			return r, &model.Error{Code: code, Message: "what " + code + " says", Hint: "ask again"}
		}
	}
	long := func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
		r := model.Reply{DoneReason: "length"}
		r.Message.Text, r.Message.Cut = "The fan", "limit"
		r.Usage.Prompt, r.Usage.Output = 100, 1024
		return r, nil
	}
	stopped := func(l *lab) step {
		return func(ctx context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
			chunk(model.Chunk{Text: "The fan "})
			go l.agent.Stop("")
			<-ctx.Done()
			r := model.Reply{}
			r.Message.Text = "The fan "
			return r, context.Cause(ctx)
		}
	}
	for name, c := range map[string]struct {
		first func(l *lab) step
		says  string // empty: nothing is told
	}{
		"whole":        {func(*lab) step { return say("The fan turns.") }, ""},
		"the limit":    {func(*lab) step { return long }, "your answer before was cut at the limit model.num_predict = 1024 tokens"},
		"a broken one": {func(*lab) step { return part(model.Broken, "interrupted") }, "your answer before was cut: what broken says"},
		"silence":      {func(*lab) step { return part(model.Stalled, "stalled") }, "your answer before was cut: what stalled says"},
		"a person":     {func(l *lab) step { return stopped(l) }, "your answer before was cut: stopped by a person"},
		"no word": {func(*lab) step {
			return func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
				return model.Reply{}, &model.Error{Code: model.OutOfMemory, Message: "it does not fit", Hint: "close other programs"}
			}
		}, "your answer before ended without an answer: it does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nil)
			l.model.steps = []step{c.first(l), say("on"), say("on")}
			l.ask("how is the fan?")
			l.ask("go on")
			l.ask("and now?")
			q := l.model.requests
			second, third := q[1].Messages[len(q[1].Messages)-1].Text, q[2].Messages[len(q[2].Messages)-1].Text
			if strings.Contains(second, "your answer before") != (c.says != "") || !strings.Contains(second, c.says) {
				t.Errorf("the next turn reads %q", second)
			}
			if strings.Contains(third, "your answer before") {
				t.Errorf("the turn after it reads %q", third)
			}
			l.checkPrefix()
		})
	}
}

// TestAKilledTurnIsTold plays what kill -9 leaves: messages of a turn without its
// record, read by the next process.
func TestAKilledTurnIsTold(t *testing.T) {
	for name, left := range map[string][]message.Message{
		"before the answer": nil,
		"in a call":         {{Role: message.Assistant, Calls: []message.Call{{ID: "t2.1", Name: "exec", Args: []byte(`{}`)}}}},
	} {
		for _, anew := range []bool{false, true} {
			l := newLab(t, nil, say("12 V"), say("on"), say("on"))
			l.ask("which rail?")
			s := mustSession(l, "main")
			if err := s.Append(s.NextTurn(), append([]message.Message{{Role: message.User, Text: "switch it on"}}, left...)...); err != nil {
				t.Fatal(err)
			}
			l.agent = New(l.agent.cfg) // the next process
			l.do(t.Context(), Ask{Text: "did it work?", New: anew})
			last := l.model.requests[1].Messages
			if said := last[len(last)-1].Text; strings.Contains(said, "kill, crash or power loss") == anew {
				t.Errorf("%s: the model reads %q", name, said)
			}
			if w := strings.Join(l.warnings(), " "); !strings.Contains(w, "turn_cut") {
				t.Errorf("%s: the person is told %q", name, w)
			}
			l.ask("and now?")
			if w := strings.Join(l.warnings(), " "); strings.Contains(w, "turn_cut") {
				t.Errorf("%s: the person is told twice", name)
			}
			l.pairs()
		}
	}
}
