package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// TestChat_Held holds one answer to a form: the prompt is that of any other request,
// the format demands words that are not empty or one call, and what comes in another
// form all the same is taken as words.
func TestChat_Held(t *testing.T) {
	for name, c := range map[string]struct {
		reply modeltest.Reply
		want  message.Message
		shown string
	}{
		"words":          {modeltest.Text(`{"say":"It `, `is 12 V."}`), message.Message{Text: "It is 12 V."}, "It is 12 V."},
		"a call":         {modeltest.Text(`{"tool":"exec","args":{"argv":["ls"]}}`), message.Message{Calls: []message.Call{{Name: "exec", Args: json.RawMessage(`{"argv":["ls"]}`)}}}, ""},
		"a native call":  {modeltest.Calls(modeltest.Call{Name: "exec"}), message.Message{Calls: []message.Call{{Name: "exec", Args: json.RawMessage(`{}`)}}}, ""},
		"no form at all": {modeltest.Text("It is ", "12 V."), message.Message{Text: "It is 12 V."}, "It is 12 V."},
		"other JSON":     {modeltest.Text(`{"volts":12}`), message.Message{Text: `{"volts":12}`}, `{"volts":12}`},
		"words and more": {modeltest.Text(`{"say":"It is 12 V."} So.`), message.Message{Text: "It is 12 V."}, "It is 12 V."},
		"empty":          {modeltest.Text(""), message.Message{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Fake(t)
			s.Script(modeltest.Text("first"), c.reply)
			cl, q := client(t, s), ask("how much?")
			q.Tools = []message.Offer{{Name: "exec", Schema: json.RawMessage(`{"type":"object","properties":{"argv":{"type":"array","items":{"type":"string"}}}}`)}}
			if _, err := cl.Chat(t.Context(), q, func(model.Chunk) {}); err != nil {
				t.Fatal(err)
			}
			q.Held = true
			var seen collector
			rep, err := cl.Chat(t.Context(), q, seen.say)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Role = message.Assistant
			if d := cmp.Diff(c.want, rep.Message); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if seen.text() != c.shown {
				t.Errorf("shown %q", seen.text())
			}
			var bodies [2]map[string]json.RawMessage
			for i, b := range s.Bodies("/api/chat") {
				if err := json.Unmarshal(b, &bodies[i]); err != nil {
					t.Fatal(err)
				}
			}
			const form = `{"anyOf":[{"type":"object","properties":{"say":{"type":"string","minLength":1}},"required":["say"],"additionalProperties":false},` +
				`{"type":"object","properties":{"tool":{"const":"exec"},"args":{"type":"object","properties":{"argv":{"type":"array","items":{"type":"string"}}}}},"required":["tool","args"],"additionalProperties":false}]}`
			if d := cmp.Diff(form, string(bodies[1]["format"])); d != "" {
				t.Errorf("format (-want +got):\n%s", d)
			}
			delete(bodies[1], "format")
			if d := cmp.Diff(bodies[0], bodies[1]); d != "" {
				t.Errorf("more than the form differs:\n%s", d)
			}
		})
	}
}
