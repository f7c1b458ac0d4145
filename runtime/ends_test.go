package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/tools"
)

func TestCase038_ModelThatComesLater(t *testing.T) {
	l := newLab(t, nil, say("here"))
	l.cat.err = &model.Error{Code: "model_missing", Message: "qwen3:4b is not there", Hint: "agent model pull qwen3:4b"}
	if end := l.ask("hi"); end.Status != ModelTurn || end.Error.Code != "model_missing" || end.Error.Hint == "" {
		t.Fatalf("%+v", end)
	}
	l.cat.err = nil
	if end := l.ask("hi"); end.Status != Done {
		t.Errorf("no restart was needed: %+v", end)
	}
	if got := len(l.model.requests[0].Messages); got != 2 {
		t.Errorf("%d messages: the refused question must not be in the history", got)
	}
}

func TestCase040_StalledStreamKeepsThePart(t *testing.T) {
	l := newLab(t, nil, func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "The fan "})
		r := model.Reply{}
		r.Message.Text, r.Message.Cut = "The fan ", "stalled"
		return r, &model.Error{Code: "stalled", Message: "no data for 60s (model.idle_timeout)"}
	}, say("turns."))
	end := l.ask("how is the fan?")
	if end.Status != LimitTurn || l.shown() != "The fan " || end.Answer != "The fan " {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
	l.ask("go on")
	msgs := l.model.requests[1].Messages
	if part := msgs[2]; part.Text != "The fan " || part.Cut != "stalled" {
		t.Errorf("the part was not kept: %+v", part)
	}
	l.checkPrefix()
}

func TestEmptyAnswer(t *testing.T) {
	l := newLab(t, nil, say(""), say(" \n"))
	if end := l.ask("hi"); end.Status != FailedTurn || end.Error.Code != "empty_answer" || end.Usage.Requests != 2 {
		t.Errorf("%+v", end)
	}
	again := newLab(t, nil, say(""), say("Hello."))
	if end := again.ask("hi"); end.Status != Done || end.Answer != "Hello." {
		t.Errorf("%+v", end)
	}
}

// TestTheSecondTryAfterAnEmptyAnswerIsAnotherOne: the same request would bring the same
// answer, so a model that thinks is asked without, any other is held to a form.
func TestTheSecondTryAfterAnEmptyAnswerIsAnotherOne(t *testing.T) {
	for name, c := range map[string]struct {
		family string
		can    []string
		level  string
		second []any // think, held
		form   bool  // the model is told of the form
	}{
		"it thinks":           {"qwen3", []string{"tools", "thinking"}, "high", []any{model.ThinkOff, false}, false},
		"it could think":      {"qwen3", []string{"tools", "thinking"}, "off", []any{model.ThinkOff, true}, true},
		"it thinks in levels": {"gptoss", []string{"tools", "thinking"}, "high", []any{model.ThinkLow, false}, false},
		"it can't think less": {"gptoss", []string{"tools", "thinking"}, "low", []any{model.ThinkLow, true}, true},
		"it does not think":   {"llama", []string{"tools"}, "off", []any{model.Think(""), true}, true},
		"it takes no tools":   {"llama", []string{"completion"}, "off", []any{model.Think(""), true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, func(cfg *Config) { cfg.Think = c.level }, say(""), say("Hello."), say("And more."))
			l.cat.info.Family, l.cat.info.Capabilities = c.family, c.can
			if end := l.ask("hi"); end.Answer != "Hello." {
				t.Errorf("%+v", end)
			}
			l.ask("go on")
			q := l.model.requests
			if d := cmp.Diff(c.second, []any{q[1].Think, q[1].Held}); d != "" {
				t.Errorf("second (-want +got):\n%s", d)
			}
			if last := q[1].Messages[len(q[1].Messages)-1].Text; strings.Contains(last, `{"say"`) != c.form {
				t.Errorf("it reads %q", last)
			}
			if q[0].Held || q[2].Held || q[2].Think != q[0].Think {
				t.Errorf("first %v %v, third %v %v", q[0].Think, q[0].Held, q[2].Think, q[2].Held)
			}
			l.checkPrefix()
		})
	}
}

// TestACallThatCannotBeReadIsAskedForAgain: twice with a hint, then the turn fails with
// a code of its own, wherever in the turn and in the stream it comes.
func TestACallThatCannotBeReadIsAskedForAgain(t *testing.T) {
	torn := func(said string) step {
		return func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
			var r model.Reply
			if said != "" {
				chunk(model.Chunk{Text: said})
				r.Message.Text, r.Message.Cut = said, "interrupted"
			}
			return r, &model.Error{Code: model.BadCall, Message: "qwen3:4b made a tool call that the server could not read", Hint: "ask again"}
		}
	}
	works := call("exec", `{"argv":["a"]}`)
	for name, c := range map[string]struct {
		steps    []step
		status   string
		requests int
		answer   string
	}{
		"once":                {[]step{torn(""), say("Fine.")}, Done, 2, "Fine."},
		"twice":               {[]step{torn(""), torn(""), say("Fine.")}, Done, 3, "Fine."},
		"three times":         {[]step{torn(""), torn(""), torn("")}, FailedTurn, 3, ""},
		"after a call":        {[]step{works, torn(""), say("Fine.")}, Done, 3, "Fine."},
		"between calls":       {[]step{torn(""), works, torn(""), torn(""), say("Fine.")}, Done, 5, "Fine."},
		"inside of a stream":  {[]step{torn("I look. "), say("Fine.")}, Done, 2, "Fine."},
		"after it, all three": {[]step{works, torn("One. "), torn(""), torn("")}, FailedTurn, 4, "One. "},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nil, append(c.steps, say("Next."))...)
			end := l.ask("look")
			if end.Status != c.status || end.Answer != c.answer || len(l.model.requests) != c.requests {
				t.Errorf("%d requests, %+v", len(l.model.requests), end)
			}
			if c.status == FailedTurn && (end.Error.Code != model.BadCall || !strings.Contains(end.Error.Message, "3 times in a row")) {
				t.Errorf("%+v", end.Error)
			}
			for i, q := range l.model.requests[1:] {
				if last := q.Messages[len(q.Messages)-1]; strings.Contains(last.Text, "could not be read") != (q.Held || last.Role == message.User) {
					t.Errorf("request %d reads %q", i+2, last.Text)
				}
			}
			if end := l.ask("next"); end.Answer != "Next." {
				t.Errorf("the next turn: %+v", end)
			}
			l.pairs()
			l.checkPrefix()
		})
	}
}

func TestCase199_LimitsIntroduceThemselves(t *testing.T) {
	var many []step
	for i := range 10 {
		many = append(many, call("exec", fmt.Sprintf(`{"argv":["%d"]}`, i)))
	}
	for name, c := range map[string]struct {
		set  func(*Config)
		says string
	}{
		"steps": {func(c *Config) { c.Limits.MaxSteps = 3 }, "turn.max_steps = 3"},
		"calls": {func(c *Config) { c.Limits.MaxCalls = 2 }, "turn.max_calls = 2"},
	} {
		l := newLab(t, c.set, many...)
		end := l.ask("go")
		if end.Status != LimitTurn || !strings.Contains(end.Error.Message, c.says) || !strings.Contains(end.Error.Hint, "config.toml") {
			t.Errorf("%s: %+v %+v", name, end, end.Error)
		}
		l.bench.does["exec"] = func(string) tools.Result { return ok("x") }
		l.model.steps = append(l.model.steps[:len(l.model.requests)], say("fine"))
		if end := l.ask("go on"); end.Status != Done {
			t.Errorf("%s: the next turn fails: %+v", name, end.Error)
		}
		l.pairs()
	}
	slow := newLab(t, func(c *Config) { c.Limits.MaxTime = time.Millisecond }, func(ctx context.Context, _ model.Request, _ func(model.Chunk)) (model.Reply, error) {
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	})
	if end := slow.ask("go"); end.Status != LimitTurn || !strings.Contains(end.Error.Message, "turn.max_time = 1ms") {
		t.Errorf("%+v", end.Error)
	}
}

func TestStopKeepsWhatWasSaid(t *testing.T) {
	started := make(chan struct{})
	l := newLab(t, nil, func(ctx context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "Half"})
		close(started)
		<-ctx.Done()
		r := model.Reply{}
		r.Message.Text, r.Message.Cut = "Half", "interrupted"
		return r, context.Cause(ctx)
	}, say("on"))
	go func() {
		<-started
		if !l.agent.Stop("") {
			t.Error("Stop found no turn")
		}
	}()
	end := l.ask("long story")
	if end.Status != Interrupted || end.Answer != "Half" || end.Error.Code != "stopped" {
		t.Errorf("%+v", end)
	}
	if l.agent.Stop("") {
		t.Error("Stop found a turn after its end")
	}
	l.ask("go on")
	l.checkPrefix()
}

func TestStopDuringCallsKeepsPairs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l := newLab(t, nil, call("exec", `{"argv":["a"]}`, "exec", `{"argv":["b"]}`), say("on"))
	l.bench.does["exec"] = func(string) tools.Result { cancel(); return ok("did a") }
	end := l.do(ctx, Ask{Text: "both"})
	if end.Status != Interrupted || len(l.bench.ran) != 1 {
		t.Errorf("ran %v, %+v", l.bench.ran, end)
	}
	l.ask("go on")
	l.pairs()
	l.checkPrefix()
}

func TestAToolThatCannotBeRecordedEndsTheTurn(t *testing.T) {
	l := newLab(t, nil, call("exec", `{}`), say("on"))
	l.agent.cfg.Tools = brokenDoor{l.bench}
	end := l.ask("go")
	if end.Status != FailedTurn || !strings.Contains(end.Error.Message, "disk is full") {
		t.Errorf("%+v", end)
	}
	l.agent.cfg.Tools = l.bench
	l.ask("go on")
	l.pairs()
}

type brokenDoor struct{ *bench }

func (brokenDoor) Call(context.Context, tools.Origin, tools.Call, func(string)) (tools.Result, error) {
	return tools.Result{}, errors.New("the audit record could not be kept: disk is full")
}

func TestTurnsOfOneSessionWaitForEachOther(t *testing.T) {
	gate := make(chan struct{})
	l := newLab(t, nil, func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
		<-gate
		r := model.Reply{DoneReason: "stop"}
		r.Message.Text = "first"
		return r, nil
	}, say("second"))
	first := make(chan event.End)
	began := make(chan struct{})
	go func() {
		first <- l.agent.Turn(context.Background(), Ask{Text: "one"}, func(e event.Event) {
			if e.Kind == event.TurnStart {
				close(began)
			}
		})
	}()
	<-began
	second := make(chan event.End)
	go func() { second <- l.agent.Turn(context.Background(), Ask{Text: "two"}, func(event.Event) {}) }()
	close(gate)
	if a, b := <-first, <-second; a.Answer != "first" || b.Answer != "second" {
		t.Errorf("%q then %q", a.Answer, b.Answer)
	}
	l.checkPrefix()
}

func TestCutAnswerSaysSo(t *testing.T) {
	l := newLab(t, nil, func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		chunk(model.Chunk{Text: "The end is"})
		r := model.Reply{DoneReason: "length"}
		r.Message.Text = "The end is"
		return r, nil
	})
	l.ask("tell me all")
	if d := cmp.Diff([]string{"answer_cut"}, l.warnings()); d != "" {
		t.Error(d)
	}
}
