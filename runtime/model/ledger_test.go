package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// talk is a request with a system text, one tool and a history.
func talk(system string, history ...string) model.Request {
	q := model.Request{
		Model: modeltest.DefaultModel, NumCtx: 8192, NumPredict: 512,
		Messages: []message.Message{{Role: message.System, Text: system}},
		Tools:    []message.Offer{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
	for i, h := range history {
		role := message.User
		if i%2 == 1 {
			role = message.Assistant
		}
		q.Messages = append(q.Messages, message.Message{Role: role, Text: h})
	}
	return q
}

// tool is the size of talk's tool array.
var tool = len(`[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object","properties":{}}}}]`)

// shown are the exported fields of a plan.
func shown(p model.Plan) model.Plan {
	return model.Plan{Bytes: p.Bytes, Tokens: p.Tokens, Common: p.Common, Predicted: p.Predicted, Break: p.Break, Part: p.Part}
}

var plans = cmpopts.IgnoreUnexported(model.Plan{})

// system is a text of 1,000 bytes.
var system = strings.Repeat("lab rules ", 100)

func TestLedger_PredictsReuseAndNamesTheBreak(t *testing.T) {
	base := talk(system, "hello", "hi", "what is J7?")
	all := 1000 + tool + len("hellohiwhat is J7?")
	tests := map[string]struct {
		next model.Request
		want model.Plan
	}{
		"the history grew": {
			talk(system, "hello", "hi", "what is J7?", "low"),
			model.Plan{Bytes: all + 3, Common: all, Break: -1},
		},
		"the same again": {base, model.Plan{Bytes: all, Common: all, Break: -1}},
		"the system text changed": {
			talk(system[:500]+"X"+system[501:], "hello", "hi", "what is J7?"),
			model.Plan{Bytes: all, Common: 500, Break: 500, Part: "system"},
		},
		"another tool": {
			func() model.Request {
				q := talk(system, "hello", "hi", "what is J7?")
				q.Tools = append([]message.Offer{}, q.Tools...)
				q.Tools[0].Name = "rEad"
				return q
			}(),
			model.Plan{Bytes: all, Common: 1000 + 41, Break: 1000 + 41, Part: "tools"},
		},
		"an old message was changed": {
			talk(system, "hello", "ho", "what is J7?"),
			model.Plan{Bytes: all, Common: 1000 + tool + 6, Break: 1000 + tool + 6, Part: "message 2 (assistant)"},
		},
		"the history was cut": {
			talk(system, "hello"),
			model.Plan{Bytes: 1000 + tool + 5, Common: 1000 + tool + 5, Break: 1000 + tool + 5, Part: "end"},
		},
		"another window": {
			func() model.Request { q := base; q.NumCtx = 4096; return q }(),
			model.Plan{Bytes: all, Break: 0, Part: "model"},
		},
		"another model": {
			func() model.Request { q := base; q.Model = "llama3.2:3b"; return q }(),
			model.Plan{Bytes: all, Break: 0, Part: "model"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := model.NewLedger()
			first := l.Plan(base)
			if d := cmp.Diff(model.Plan{Bytes: all, Tokens: l.Tokens(all), Break: -1}, shown(first), plans); d != "" {
				t.Fatalf("first plan (-want +got):\n%s", d)
			}
			l.Done(first, model.Usage{})
			tt.want.Tokens, tt.want.Predicted = l.Tokens(tt.want.Bytes), l.Tokens(tt.want.Common)
			if d := cmp.Diff(tt.want, shown(l.Plan(tt.next)), plans); d != "" {
				t.Errorf("plan (-want +got):\n%s", d)
			}
			if o := l.Done(l.Plan(base), model.Usage{Load: time.Second}); !o.Fresh {
				t.Error("a model that was loaded is not seen as one")
			}
			l.Settle()
			if p := l.Plan(tt.next); p.Common != 0 || p.Break != -1 {
				t.Errorf("with nothing held: %+v", shown(p))
			}
		})
	}
}

func TestLedger_TwoSlotsKeepTwoPrefixesApart(t *testing.T) {
	l := model.NewLedger()
	main, sub := talk(system, "hello"), talk("sub-agent", "task")
	l.Settle(model.Sent{Plan: l.Plan(main)}, model.Sent{Plan: l.Plan(sub)})
	for range 3 {
		for _, q := range []model.Request{main, sub} {
			p := l.Plan(q)
			if p.Common != p.Bytes {
				t.Errorf("%q: %d of %d bytes are held", q.Messages[0].Text[:9], p.Common, p.Bytes)
			}
			l.Done(p, model.Usage{})
		}
	}
	one := model.NewLedger()
	one.Done(one.Plan(main), model.Usage{})
	one.Done(one.Plan(sub), model.Usage{})
	if p := one.Plan(main); p.Common != 0 || p.Part != "system" {
		t.Errorf("one slot holds %d bytes of the main prompt after a sub-agent's", p.Common)
	}
}

func TestLedger_LearnsBytesPerToken(t *testing.T) {
	l := model.NewLedger()
	if got := l.Tokens(3800); got != 1000 {
		t.Errorf("%d tokens before any count, want 1000", got)
	}
	p := l.Plan(talk(system, "hello"))
	l.Done(p, model.Usage{Prompt: p.Bytes / 2}) // two bytes a token
	if got := l.Tokens(3800); got < 1890 || got > 1910 {
		t.Errorf("%d tokens after one count, want about 1900", got)
	}
	for range 20 {
		l.Done(l.Plan(talk(system, "hello")), model.Usage{Prompt: p.Bytes / 5})
	}
	if got := l.Tokens(3800); got < 750 || got > 770 {
		t.Errorf("%d tokens after many counts, want about 760", got)
	}
	l.Done(l.Plan(talk("x")), model.Usage{Prompt: 90}) // mostly the template's own tokens
	if got := l.Tokens(3800); got < 750 || got > 770 {
		t.Errorf("a tiny prompt moved the estimate to %d tokens", got)
	}
}

func TestLedger_ReuseBySourceOfTruth(t *testing.T) {
	l := model.NewLedger()
	q := talk(system, "hello")
	p := l.Plan(q)
	// A cold prompt of 300 tokens in 3 s.
	if got := l.Done(p, model.Usage{Prompt: 300, PromptEval: 3 * time.Second}); got.Reused != 0 || got.Known {
		t.Errorf("cold: %+v", got)
	}
	next := l.Plan(talk(system, "hello", "hi", "more"))
	if got := l.Done(next, model.Usage{Prompt: 310, PromptEval: 100 * time.Millisecond}); got.Reused != 300 || got.Known {
		t.Errorf("by time: %+v, want 300 and not known", got)
	}
	if got := l.Done(l.Plan(q), model.Usage{Prompt: 310, Cached: 7, CachedKnown: true}); got.Reused != 7 || !got.Known {
		t.Errorf("by the server: %+v, want 7 and known", got)
	}
	fresh := model.NewLedger()
	fresh.Done(fresh.Plan(q), model.Usage{Prompt: 300})
	if got := fresh.Done(fresh.Plan(q), model.Usage{Prompt: 300}); got.Reused < 290 || got.Known {
		t.Errorf("by prediction: %+v, want nearly all and not known", got)
	}
}

func TestCase034_LowReuseIsCounted(t *testing.T) {
	l := model.NewLedger()
	var low []int
	history := []string{"hello"}
	for turn := range 4 {
		// The server reads the whole prompt each time although it only grows.
		u := model.Usage{Prompt: 300 + 10*turn, CachedKnown: true}
		low = append(low, l.Done(l.Plan(talk(system, history...)), u).Low)
		history = append(history, "answer", "next")
	}
	u := model.Usage{Prompt: 340, Cached: 330, CachedKnown: true}
	low = append(low, l.Done(l.Plan(talk(system, history...)), u).Low)
	if d := cmp.Diff([]int{0, 1, 2, 3, 0}, low); d != "" {
		t.Errorf("low reuse in a row (-want +got):\n%s", d)
	}
}

func TestCase034_LowReuseShowsInTheTime(t *testing.T) {
	l := model.NewLedger()
	var low []int
	for turn := range 3 {
		u := model.Usage{Prompt: 300, PromptEval: 3*time.Second + time.Duration(turn)*10*time.Millisecond}
		low = append(low, l.Done(l.Plan(talk(system, "hello")), u).Low)
	}
	if d := cmp.Diff([]int{0, 1, 2}, low); d != "" {
		t.Errorf("low reuse in a row (-want +got):\n%s", d)
	}
}

// long is a request that we estimate at about 7,900 tokens.
func long() model.Request {
	q := talk(strings.Repeat("x", 7900*38/10-tool-2), "hi")
	return q
}

func TestCase026_APromptThatTheServerCutIsFlagged(t *testing.T) {
	s := modeltest.Fake(t)
	call := modeltest.Calls(modeltest.Call{Name: "read", Args: `{}`})
	call.Counts.Prompt = 4098
	s.Script(call)
	rep, err := client(t, s).Chat(t.Context(), long(), func(model.Chunk) {})
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Truncated || !rep.Usage.Truncated {
		t.Errorf("reply %+v is not flagged as truncated", rep)
	}
	l := model.NewLedger()
	p := l.Plan(long())
	if p.Tokens < 7850 || p.Tokens > 7950 {
		t.Fatalf("estimated at %d tokens, want about 7900", p.Tokens)
	}
	before := l.Tokens(10_000)
	if got := l.Done(p, model.Usage{Prompt: 4098}); !got.Truncated {
		t.Errorf("outcome %+v", got)
	}
	// The belief about the window is corrected, not the bytes per token: the
	// count is of another text than ours.
	if w := l.Window(8192); w != 4098 {
		t.Errorf("window %d, want what the server proved to take", w)
	}
	if after := l.Tokens(10_000); after != before {
		t.Errorf("10,000 bytes were %d tokens and are now %d", before, after)
	}
	l.Done(l.Plan(long()), model.Usage{Prompt: 7900})
	if w := l.Window(8192); w != 8192 {
		t.Errorf("window %d after the server took 7,900 tokens", w)
	}
}

func TestCase026_WhatIsNoCut(t *testing.T) {
	tests := map[string]struct {
		warm model.Usage // an earlier request with the same prompt, when it has counts
		now  model.Usage
		want bool
	}{
		"the count is as estimated":       {now: model.Usage{Prompt: 7700}},
		"the estimate was wrong":          {now: model.Usage{Prompt: 5000}},
		"text that has few tokens":        {now: model.Usage{Prompt: 3000}},
		"no count at all":                 {now: model.Usage{}},
		"half the window":                 {now: model.Usage{Prompt: 4098}, want: true},
		"the default window":              {now: model.Usage{Prompt: 4096}, want: true},
		"half the window, again":          {warm: model.Usage{Prompt: 4100, Truncated: false}, now: model.Usage{Prompt: 4100}, want: true},
		"grown, and counted as less":      {warm: model.Usage{Prompt: 7800}, now: model.Usage{Prompt: 5500, CachedKnown: true}, want: true},
		"a server that counts new tokens": {warm: model.Usage{Prompt: 7800}, now: model.Usage{Prompt: 40}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := model.NewLedger()
			if tt.warm.Prompt > 0 {
				l.Done(l.Plan(long()), tt.warm)
			}
			if got := l.Done(l.Plan(long()), tt.now).Truncated; got != tt.want {
				t.Errorf("truncated %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCase026_HalfOfAnyWindow(t *testing.T) {
	for _, window := range []int{6144, 8192, 10240} {
		q := talk(strings.Repeat("x", (window-300)*38/10), "hi")
		q.NumCtx = window
		l := model.NewLedger()
		if !l.Done(l.Plan(q), model.Usage{Prompt: window/2 + 2}).Truncated {
			t.Errorf("half of a window of %d tokens is not seen as a cut", window)
		}
	}
}

func TestLedger_IsSafeForManyGoroutines(t *testing.T) {
	l := model.NewLedger()
	done := make(chan struct{})
	for i := range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 50 {
				l.Done(l.Plan(talk(system, fmt.Sprint(i))), model.Usage{Prompt: 300})
				l.Tokens(100)
				l.Window(8192)
			}
		}()
	}
	for range 8 {
		<-done
	}
}

// A model that was loaded anew reads everything, and that is no fault of its cache.
func TestLedger_AFreshModelHoldsNothing(t *testing.T) {
	l := model.NewLedger()
	main, sub := talk(system, "hello"), talk("sub-agent", "task")
	l.Settle(model.Sent{Plan: l.Plan(main)}, model.Sent{Plan: l.Plan(sub)})
	for range 3 {
		o := l.Done(l.Plan(main), model.Usage{Prompt: 300, PromptEval: 3 * time.Second, Load: time.Second, CachedKnown: true})
		if !o.Fresh || o.Low != 0 {
			t.Errorf("%+v", o)
		}
	}
	if p := l.Plan(sub); p.Common != 0 {
		t.Errorf("%d bytes of the other prompt outlived the model", p.Common)
	}
	if p := l.Plan(main); p.Common != p.Bytes {
		t.Errorf("%d of %d bytes are held after it was read", p.Common, p.Bytes)
	}
	if o := l.Done(l.Plan(main), model.Usage{Prompt: 300, Load: 30 * time.Millisecond}); o.Fresh {
		t.Error("a warm model is taken for a fresh one")
	}
}
