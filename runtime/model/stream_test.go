package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// client makes a client of a fake server.
func client(t *testing.T, s *modeltest.Server, change ...func(*model.Config)) *model.Client {
	t.Helper()
	cfg := model.Config{Host: s.URL}
	if s.URL == "" {
		cfg.HTTP = s.HTTP()
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := model.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask is a request with one message.
func ask(text string) model.Request {
	return model.Request{
		Model: modeltest.DefaultModel, NumCtx: 8192, NumPredict: 512,
		Messages: []message.Message{{Role: message.System, Text: "You are in a lab."}, {Role: message.User, Text: text}},
	}
}

// collector keeps chunks.
type collector struct{ chunks []model.Chunk }

func (c *collector) say(x model.Chunk) { c.chunks = append(c.chunks, x) }

// text is what a person saw.
func (c *collector) text() string {
	var b strings.Builder
	for _, x := range c.chunks {
		b.WriteString(x.Text)
	}
	return b.String()
}

// thinking is the streamed reasoning.
func (c *collector) thinking() string {
	var b strings.Builder
	for _, x := range c.chunks {
		b.WriteString(x.Thinking)
	}
	return b.String()
}

// code is the code of an *Error.
func code(t *testing.T, err error) string {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want a *model.Error", err, err)
	}
	if e.Message == "" || e.Hint == "" {
		t.Errorf("error %q has hint %q; both have to be there", e.Message, e.Hint)
	}
	return e.Code
}

func TestChat_StreamsTextAndCountsUsage(t *testing.T) {
	s := modeltest.Fake(t)
	cached := 40
	r := modeltest.Text("Pin ", "J7 ", "is low.")
	r.Counts = modeltest.Counts{Prompt: 50, Output: 7, Cached: &cached, Total: 9, Load: 1, PromptEval: 2, Eval: 3}
	s.Script(r)
	var got collector
	rep, err := client(t, s).Chat(t.Context(), ask("what is J7?"), got.say)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Usage.FirstToken <= 0 {
		t.Errorf("first token after %v, want more than nothing", rep.Usage.FirstToken)
	}
	rep.Usage.FirstToken = 0
	want := model.Reply{
		Message:    message.Message{Role: message.Assistant, Text: "Pin J7 is low."},
		DoneReason: "stop",
		Usage:      model.Usage{Prompt: 50, Output: 7, Cached: 40, CachedKnown: true, Total: 9, Load: 1, PromptEval: 2, Eval: 3},
	}
	if d := cmp.Diff(want, rep); d != "" {
		t.Errorf("reply (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]model.Chunk{{Text: "Pin "}, {Text: "J7 "}, {Text: "is low."}}, got.chunks); d != "" {
		t.Errorf("chunks (-want +got):\n%s", d)
	}
}

func TestChat_UnknownCacheIsNotZero(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Text("a"))
	rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if err != nil || rep.Usage.CachedKnown {
		t.Errorf("usage %+v, error %v: the server said nothing of its cache", rep.Usage, err)
	}
}

func TestChat_CallsKeepTheirBytes(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Calls(
		modeltest.Call{ID: "c1", Name: "gpio", Args: `{"z":1,"a":12345678901234567890,"n":1e3,"t":"0042"}`},
		modeltest.Call{Name: "session_status"},
	))
	rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if err != nil {
		t.Fatal(err)
	}
	want := []message.Call{
		{ID: "c1", Name: "gpio", Args: json.RawMessage(`{"z":1,"a":12345678901234567890,"n":1e3,"t":"0042"}`)},
		{Name: "session_status", Args: json.RawMessage(`{}`)},
	}
	if d := cmp.Diff(want, rep.Message.Calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

func TestChat_EmptyAnswerIsReportedAsSuch(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Reply{DoneReason: "stop"})
	rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if err != nil || rep.Message.Text != "" || rep.DoneReason != "stop" {
		t.Errorf("reply %+v, error %v: want an empty message with its done reason", rep, err)
	}
}

func TestChat_LengthIsMarkedAsLimit(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Reply{Steps: []modeltest.Step{{Text: "one two"}}, DoneReason: "length"})
	rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if err != nil || rep.Message.Cut != "limit" || rep.DoneReason != "length" {
		t.Errorf("reply %+v, error %v: want Cut limit", rep, err)
	}
}

func TestCase019_ThinkMarksCutAcrossChunks(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Text("<thi", "nk>check pin", "</th", "ink>", "Pin J7 is low."))
	var got collector
	rep, err := client(t, s).Chat(t.Context(), ask("x"), got.say)
	if err != nil {
		t.Fatal(err)
	}
	if got.text() != "Pin J7 is low." || got.thinking() != "check pin" {
		t.Errorf("a person saw %q and thinking %q", got.text(), got.thinking())
	}
	want := message.Message{Role: message.Assistant, Text: "Pin J7 is low.", Thinking: "check pin"}
	if d := cmp.Diff(want, rep.Message); d != "" {
		t.Errorf("message (-want +got):\n%s", d)
	}
	// The next turn sends the answer and not the thinking.
	q := ask("x")
	q.Messages = append(q.Messages, rep.Message, message.Message{Role: message.User, Text: "and J8?"})
	if _, err := client(t, s).Chat(t.Context(), q, func(model.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	if body := string(s.Bodies("/api/chat")[1]); strings.Contains(body, "check pin") || strings.Contains(body, "think") {
		t.Errorf("thinking was sent back: %s", body)
	}
}

func TestChat_AnEndThatOnlyLooksLikeAMarkIsShown(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Text("is 1 <", "thi"))
	var got collector
	rep, err := client(t, s).Chat(t.Context(), ask("x"), got.say)
	if err != nil || rep.Message.Text != "is 1 <thi" || got.text() != "is 1 <thi" {
		t.Errorf("kept %q, shown %q, error %v", rep.Message.Text, got.text(), err)
	}
}

func TestCase020_CallWithinUnclosedThinkingIsNotLost(t *testing.T) {
	call := `<tool_call>{"name":"temp_read","arguments":{}}</tool_call>`
	for name, r := range map[string]modeltest.Reply{
		"in the content":            modeltest.Text("<think>I need the temperature ", call),
		"in the server's own field": modeltest.Stream(modeltest.Step{Thinking: "I need the temperature " + call}),
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Fake(t)
			s.Script(r)
			var got collector
			rep, err := client(t, s).Chat(t.Context(), ask("x"), got.say)
			if err != nil {
				t.Fatal(err)
			}
			want := message.Message{Role: message.Assistant, Text: call, Thinking: "I need the temperature"}
			if d := cmp.Diff(want, rep.Message); d != "" {
				t.Errorf("message (-want +got):\n%s", d)
			}
			if got.text() != "" {
				t.Errorf("a person saw %q", got.text())
			}
			found := model.Recover(rep.Message.Text, func(_ string, a []byte) ([]byte, error) { return a, nil })
			if len(found.Calls) != 1 || found.Calls[0].Name != "temp_read" {
				t.Errorf("recovered %+v, want the call", found)
			}
		})
	}
}

func TestCase040_StalledStreamKeepsThePartialText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		s.Script(modeltest.Stream(
			modeltest.Step{Text: "The supply "}, modeltest.Step{Text: "is at "}, modeltest.Step{Stall: true},
		))
		var got collector
		began := time.Now()
		rep, err := client(t, s).Chat(t.Context(), ask("x"), got.say)
		if c := code(t, err); c != model.Stalled {
			t.Errorf("code %s, want %s", c, model.Stalled)
		}
		if took := time.Since(began); took != model.UsualIdle {
			t.Errorf("ended after %v, want the idle limit of %v", took, model.UsualIdle)
		}
		want := message.Message{Role: message.Assistant, Text: "The supply is at ", Cut: "stalled"}
		if d := cmp.Diff(want, rep.Message); d != "" {
			t.Errorf("message (-want +got):\n%s", d)
		}
		if !strings.Contains(err.Error(), "model.idle_timeout = 1m") {
			t.Errorf("%q does not name the limit, its value and its key", err)
		}
	})
}

func TestCase040_EachPieceStartsTheIdleLimitAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
		var steps []modeltest.Step
		for _, g := range gates {
			steps = append(steps, modeltest.Step{Wait: g, Text: "word "})
		}
		s.Script(modeltest.Stream(steps...))
		go func() {
			for _, g := range gates {
				<-time.After(50 * time.Second)
				close(g)
			}
		}()
		rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
		if err != nil || rep.Message.Text != "word word word " {
			t.Errorf("reply %+v, error %v", rep, err)
		}
	})
}

func TestChat_SilenceTellsThePhaseThenEndsAtTheFirstByteLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		s.Script(modeltest.Stream(modeltest.Step{Stall: true}))
		var got collector
		var at time.Duration
		began := time.Now()
		rep, err := client(t, s).Chat(t.Context(), ask("x"), func(c model.Chunk) {
			at = time.Since(began)
			got.say(c)
		})
		if d := cmp.Diff([]model.Chunk{{Phase: "loading model"}}, got.chunks); d != "" {
			t.Errorf("chunks (-want +got):\n%s", d)
		}
		if at > 3*time.Second {
			t.Errorf("the phase was told after %v, want at most 3 s", at)
		}
		if c := code(t, err); c != model.FirstByte {
			t.Errorf("code %s, want %s", c, model.FirstByte)
		}
		if took := time.Since(began); took != model.UsualFirstByte {
			t.Errorf("ended after %v, want %v", took, model.UsualFirstByte)
		}
		if rep.Message.Cut != "interrupted" || rep.Message.Text != "" {
			t.Errorf("message %+v", rep.Message)
		}
	})
}

func TestChat_AKnownModelIsReadingNotLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		gate := make(chan struct{})
		s.Script(modeltest.Text("one"), modeltest.Stream(modeltest.Step{Wait: gate, Text: "two"}))
		c := client(t, s)
		if _, err := c.Chat(t.Context(), ask("x"), func(model.Chunk) {}); err != nil {
			t.Fatal(err)
		}
		go func() {
			<-time.After(20 * time.Second)
			close(gate)
		}()
		var got collector
		if _, err := c.Chat(t.Context(), ask("y"), got.say); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]model.Chunk{{Phase: model.PhaseReading}, {Text: "two"}}, got.chunks); d != "" {
			t.Errorf("chunks (-want +got):\n%s", d)
		}
	})
}

func TestChat_CancelKeepsThePartialText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		s.Script(modeltest.Stream(modeltest.Step{Text: "half an "}, modeltest.Step{Stall: true}))
		stopped := errors.New("stopped by a person")
		ctx, cancel := context.WithCancelCause(t.Context())
		rep, err := client(t, s).Chat(ctx, ask("x"), func(model.Chunk) { cancel(stopped) })
		if !errors.Is(err, stopped) {
			t.Errorf("error %v, want the cause of the context", err)
		}
		want := message.Message{Role: message.Assistant, Text: "half an ", Cut: "interrupted"}
		if d := cmp.Diff(want, rep.Message); d != "" {
			t.Errorf("message (-want +got):\n%s", d)
		}
	})
}

func TestChat_BrokenStreams(t *testing.T) {
	first := `{"model":"m","message":{"role":"assistant","content":"half"},"done":false}`
	tests := map[string]struct {
		reply modeltest.Reply
		code  string
		text  string
	}{
		"an error in mid-stream":    {modeltest.Raw(first, `{"error":"something odd"}`), model.Server, "half"},
		"out of memory mid-stream":  {modeltest.Raw(first, `{"error":"cuda out of memory"}`), model.OutOfMemory, "half"},
		"a line that is no JSON":    {modeltest.Raw(first, `{"model":`, first), model.Unreadable, "half"},
		"a line of another kind":    {modeltest.Raw(first, `[1,2]`, first), model.Unreadable, "half"},
		"arguments that are a list": {modeltest.Raw(`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"exec","arguments":[1]}}]},"done":false}`), model.Unreadable, ""},
		"the end before the end":    {modeltest.Raw(first), model.Broken, "half"},
		"half a last line":          {modeltest.Reply{Steps: []modeltest.Step{{Raw: first + "\n" + first[:20]}}, NoEnd: true}, model.Broken, "half"},
		"a broken connection":       {modeltest.Stream(modeltest.Step{Text: "half"}, modeltest.Step{Drop: true}), model.Broken, "half"},
		"nothing at all":            {modeltest.Reply{NoEnd: true}, model.Broken, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t) // over a real socket: the ways of breaking differ
			s.Script(tt.reply)
			rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
			if c := code(t, err); c != tt.code {
				t.Errorf("code %s (%v), want %s", c, err, tt.code)
			}
			want := message.Message{Role: message.Assistant, Text: tt.text, Cut: "interrupted"}
			if d := cmp.Diff(want, rep.Message); d != "" {
				t.Errorf("message (-want +got):\n%s", d)
			}
		})
	}
}

func TestChat_BlankLinesAndAMissingLastNewlineAreHarmless(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Reply{NoEnd: true, Steps: []modeltest.Step{{
		Raw: "\n\r\n" + `{"model":"m","message":{"content":"a"},"done":false}` + "\r\n\n" + `{"model":"m","message":{"content":"b"},"done":true,"done_reason":"stop"}`,
	}}})
	rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if err != nil || rep.Message.Text != "ab" {
		t.Errorf("reply %+v, error %v", rep, err)
	}
}
