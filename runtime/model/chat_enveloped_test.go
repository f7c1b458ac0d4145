package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// plain is a server whose one model can't call tools, with the replies to come.
func plain(t *testing.T, rs ...modeltest.Reply) *modeltest.Server {
	t.Helper()
	s := modeltest.Fake(t)
	s.SetModels(modeltest.Model{Name: modeltest.DefaultModel, Capabilities: []string{"completion"}})
	s.Script(rs...)
	return s
}

// offered is a request with a tool.
func offered(enveloped bool) model.Request {
	q := ask("Which kernel?")
	q.Tools = []message.Offer{{Name: "exec", Description: "run", Schema: json.RawMessage(`{"type":"object","properties":{"argv":{"type":"array"}}}`)}}
	q.Enveloped = enveloped
	return q
}

// The server refuses a tool array for such a model, and takes an envelope.
func TestEnveloped_TheServerTakesIt(t *testing.T) {
	c := client(t, plain(t, modeltest.Text(`{"say":"hi"}`)))
	_, err := c.Chat(t.Context(), offered(false), func(model.Chunk) {})
	if got := code(t, err); got != model.NoTools {
		t.Errorf("with a tool array: %s", got)
	}
	rep, err := c.Chat(t.Context(), offered(true), func(model.Chunk) {})
	if err != nil || rep.Message.Text != "hi" {
		t.Errorf("in an envelope: %q, %v", rep.Message.Text, err)
	}
}

func TestEnveloped_Replies(t *testing.T) {
	call := message.Call{Name: "exec", Args: json.RawMessage(`{"argv":["uname"]}`)}
	limit := func(r modeltest.Reply) modeltest.Reply { r.DoneReason = "length"; return r }
	for name, tt := range map[string]struct {
		reply  modeltest.Reply
		want   message.Message
		shown  []string
		failed string
	}{
		"words as they come": {
			reply: modeltest.Text(" {", `"say"`, `:"It is \`, `u00`, `e9`, ` ok`, `"`, "}  "),
			want:  message.Message{Text: "It is é ok"}, shown: []string{"It is ", "é", " ok"},
		},
		"words whose key is spelled otherwise come at the end": {
			reply: modeltest.Text(`{"s\u0061y":"a`, `b"}`), want: message.Message{Text: "ab"}, shown: []string{"ab"},
		},
		"a call": {reply: modeltest.Text("\n\n", `{"tool":"exec",`, `"args":{"argv":["uname"]}}`, "\n"), want: message.Message{Calls: []message.Call{call}}},
		"a whole call, padded to the limit": {
			reply: limit(modeltest.Text(`{"tool":"exec","args":{"argv":["uname"]}}`, "\n\n\n")), want: message.Message{Calls: []message.Call{call}},
		},
		"a call that the limit cut":       {reply: limit(modeltest.Text(`{"tool":"exec","args":{"argv":["una`)), want: message.Message{Cut: "limit"}},
		"words that the limit cut":        {reply: limit(modeltest.Text(`{"say":"a\ud8`)), want: message.Message{Text: "a", Cut: "limit"}, shown: []string{"a"}},
		"a call that the connection lost": {reply: modeltest.Stream(modeltest.Step{Text: `{"tool":"exec","args":{}}`}, modeltest.Step{Drop: true}), want: message.Message{Cut: "interrupted"}, failed: model.Broken},
		"no envelope":                     {reply: modeltest.Text("Sure! ", `{"tool":"exec","args":{}}`), want: message.Message{Cut: "interrupted"}, failed: model.Unreadable},
		"more than one":                   {reply: modeltest.Text(`{"say":"a"}`, `{"tool":"exec","args":{}}`), want: message.Message{Text: "a", Cut: "interrupted"}, shown: []string{"a"}, failed: model.Unreadable},
		"half of one, and no limit":       {reply: modeltest.Text(`{"tool":"exec","args":{`), want: message.Message{Cut: "interrupted"}, failed: model.Unreadable},
		"nothing":                         {reply: modeltest.Text(" \n"), want: message.Message{}},
		"thinking first": {
			reply: modeltest.Stream(modeltest.Step{Thinking: "hm"}, modeltest.Step{Text: `{"say":"<think>x</think>ok"}`}),
			want:  message.Message{Text: "ok", Thinking: "hmx"}, shown: []string{"", "ok"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var seen collector
			rep, err := client(t, plain(t, tt.reply)).Chat(t.Context(), offered(true), seen.say)
			if (err == nil) != (tt.failed == "") || err != nil && code(t, err) != tt.failed {
				t.Errorf("error %v, want %q", err, tt.failed)
			}
			tt.want.Role = message.Assistant
			if d := cmp.Diff(tt.want, rep.Message); d != "" {
				t.Error(d)
			}
			var shown []string
			for _, x := range seen.chunks {
				shown = append(shown, x.Text)
			}
			if d := cmp.Diff(tt.shown, shown); d != "" {
				t.Errorf("shown: %s", d)
			}
		})
	}
}
