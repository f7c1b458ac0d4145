package integration

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ollama/ollama/api"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/test/ollama"
	"hardshell/tools/args"
)

// defaultTools are the tools of the lab policy as the program offers them.
func defaultTools(t *testing.T) []message.Offer {
	t.Helper()
	var prompt struct {
		Tools api.Tools `json:"tools"`
	}
	if err := json.Unmarshal([]byte(newPerson(t, "").must("context", "prompt", "--json")), &prompt); err != nil {
		t.Fatal(err)
	}
	var all []message.Offer
	for _, tool := range prompt.Tools {
		schema, err := json.Marshal(tool.Function.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, message.Offer{Name: tool.Function.Name, Description: tool.Function.Description, Schema: schema})
	}
	return all
}

// A small real model whose template knows no tools: the server refuses a tool array,
// and with the default tools in an envelope each of its answers is words, or one call
// of an offered tool whose arguments fit, or was cut at the limit with nothing to run.
func TestModelWithoutToolsAnswersInEnvelopes(t *testing.T) {
	l := theLab(t)
	if err := l.CreatePlain(within(t), l.files.Small); err != nil {
		t.Fatal(err)
	}
	c := driver(t, l)
	info, err := c.Show(within(t), ollama.Plain)
	if err != nil || !info.Enveloped() {
		t.Fatalf("%s can %q (%v), want no tools", ollama.Plain, info.Capabilities, err)
	}
	offers := defaultTools(t)
	fit := func(name string, given []byte) ([]byte, error) {
		for _, o := range offers {
			if o.Name == name {
				out, _, err := args.Repair(o.Schema, given)
				return out, err
			}
		}
		return nil, model.ErrNotOffered
	}
	q := model.Request{Model: ollama.Plain, Tools: offers, NumCtx: 8192, NumPredict: 96, Messages: []message.Message{
		system("You help at a bench."), user("Hello"),
		{Role: message.Assistant, Text: "Hello."},
		user("Read logs/a.txt"),
		{Role: message.Assistant, Calls: []message.Call{{Name: "read", Args: json.RawMessage(`{"path":"logs/a.txt"}`)}}},
		{Role: message.Tool, ToolName: "read", Text: "all is well"},
		{Role: message.Assistant, Text: "All is well."},
	}}
	var e *model.Error
	if _, err := c.Chat(within(t), q, func(model.Chunk) {}); !errors.As(err, &e) || e.Code != model.NoTools {
		t.Errorf("with a tool array: %v, want %s", err, model.NoTools)
	}
	q.Enveloped = true
	calls, words := 0, 0
	for _, question := range []string{"Hello", "Read logs/b.txt"} {
		q.Messages = append(q.Messages, user(question))
		rep, err := c.Chat(t.Context(), q, func(model.Chunk) {}) // a real prompt takes a busy machine more than a step
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		u := rep.Usage
		t.Logf("%s: %q, %d calls, %s; prompt: %d tokens in %v, answer: %d in %v", question, rep.Message.Text, len(rep.Message.Calls), rep.DoneReason, u.Prompt, u.PromptEval, u.Output, u.Eval)
		q.Messages = append(q.Messages, rep.Message)
		switch m := rep.Message; {
		case m.Cut != "":
			if len(m.Calls) > 0 {
				t.Errorf("%s: a cut answer has calls: %+v", question, m)
			}
		case len(m.Calls) == 1:
			calls++
			if _, err := fit(m.Calls[0].Name, m.Calls[0].Args); err != nil {
				t.Errorf("%s: %s %s: %v", question, m.Calls[0].Name, m.Calls[0].Args, err)
			}
			q.Messages = append(q.Messages, message.Message{Role: message.Tool, ToolName: m.Calls[0].Name, Text: "ok"})
		case m.Text != "":
			words++
		default:
			t.Errorf("%s: neither words nor a call: %+v", question, rep)
		}
	}
	if calls == 0 || words == 0 {
		t.Errorf("%d calls and %d answers in words, want some of both", calls, words)
	}
}
