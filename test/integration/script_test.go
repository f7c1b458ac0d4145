package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"hardshell/test/ollama"
	"hardshell/test/scripted"
)

// said is what a model answered, in the words of a script.
type said struct {
	Text  string
	Calls []scripted.Call
}

// A real server speaks the script: every line of every scene comes out word for
// word, calls as native calls. What the other tests expect rests on this one.
func TestServerSpeaksTheScript(t *testing.T) {
	l := theLab(t)
	for _, scene := range scripted.Lab() {
		for i, step := range scene.Steps {
			for _, line := range step {
				if line.Endless {
					continue // TestCapHolds has it
				}
				got := l.speak(t, history(scene, i, line.When))
				want := said{Text: line.Text, Calls: line.Calls}
				if line.Fenced {
					want = said{Text: "```json\n{\"name\": \"" + line.Calls[0].Name + "\", \"arguments\": " + line.Calls[0].Args + "}\n```"}
				}
				if diff := cmp.Diff(want, got, sameJSON); diff != "" {
					t.Errorf("scene %q, step %d (-script +server):\n%s", scene.Ask, i, diff)
				}
			}
		}
	}
}

// sameJSON compares arguments as values: a server writes them anew.
var sameJSON = cmp.Transformer("args", func(c scripted.Call) map[string]any {
	v := map[string]any{}
	_ = json.Unmarshal([]byte(c.Args), &v) // no object: the empty one differs
	return map[string]any{c.Name: v}
})

// history is a conversation that has reached a step of a scene, with when in
// the newest result.
func history(scene scripted.Scene, at int, when string) []api.Message {
	messages := []api.Message{
		{Role: "system", Content: "You help at a bench."},
		{Role: "user", Content: scene.Ask + " now, please?\n\n[Mon 10:00]"},
	}
	if scene.Ask == "" {
		messages[1].Content = "?"
	}
	for _, step := range scene.Steps[:at] {
		answer := api.Message{Role: "assistant"}
		for _, c := range step[len(step)-1].Calls {
			answer.ToolCalls = append(answer.ToolCalls, api.ToolCall{Function: api.ToolCallFunction{Name: c.Name, Arguments: arguments(c.Args)}})
		}
		messages = append(messages, answer)
		for _, c := range step[len(step)-1].Calls {
			messages = append(messages, api.Message{Role: "tool", ToolName: c.Name, Content: "result: " + when})
		}
	}
	return messages
}

// arguments reads a JSON object as the server's own type.
func arguments(text string) api.ToolCallFunctionArguments {
	var a api.ToolCallFunctionArguments
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		panic("integration: internal error: " + err.Error()) // the script is checked
	}
	return a
}

// offers are tools by name, for a model that needs no more.
func offers() api.Tools {
	var tools api.Tools
	for _, name := range strings.Fields("exec read write edit session_status") {
		tools = append(tools, api.Tool{Type: "function", Function: api.ToolFunction{
			Name: name, Description: "a tool", Parameters: api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()},
		}})
	}
	return tools
}

// speak asks the scripted model for its next message.
func (l *lab) speak(t *testing.T, messages []api.Message) said {
	t.Helper()
	no := false
	var got said
	req := &api.ChatRequest{
		Model: ollama.Scripted, Messages: messages, Tools: offers(), Truncate: &no, Shift: &no,
		Options: map[string]any{"num_ctx": 16384, "num_predict": 256},
	}
	err := l.Client().Chat(within(t), req, func(r api.ChatResponse) error {
		got.Text += r.Message.Content
		for _, c := range r.Message.ToolCalls {
			got.Calls = append(got.Calls, scripted.Call{Name: c.Function.Name, Args: c.Function.Arguments.String()})
		}
		return nil
	})
	if err != nil {
		t.Fatalf("chat: %v", err)
	}
	return got
}
