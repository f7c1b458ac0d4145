package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/test/ollama"
)

// driver is the program's own client of the server.
func driver(t *testing.T, l *lab) *model.Client {
	t.Helper()
	c, err := model.New(model.Config{Host: l.Host})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// probes are offers as the driver takes them.
func probes() []message.Offer {
	var all []message.Offer
	for _, name := range strings.Fields("exec read write edit session_status") {
		all = append(all, message.Offer{Name: name, Description: "a tool", Schema: []byte(`{"type":"object","properties":{}}`)})
	}
	return all
}

// bench is a system text that is long against one turn, as the real one is.
var benchText = strings.Repeat("You help at a bench where a smart-speaker board is brought up.\n", 60)

// ask gives a request of the scripted model.
func ask(messages ...message.Message) model.Request {
	return model.Request{Model: ollama.Scripted, Messages: messages, Tools: probes(), NumCtx: 16384, NumPredict: 256}
}

// system and user are the two messages that a conversation begins with.
func system(text string) message.Message { return message.Message{Role: message.System, Text: text} }
func user(text string) message.Message   { return message.Message{Role: message.User, Text: text} }

// A chat of three turns through the driver, with a tool call in each: from the
// second request on, the server reuses at least 95 % of the prompt before, by
// its own log.
func TestDriverKeepsThePrefix(t *testing.T) {
	l, before := theLab(t), 0
	before = l.count(t)
	c := driver(t, l)
	history := []message.Message{system(benchText)}
	for i, question := range []string{"Summarise logs/burn-in.log", "Which processor is this?", "Reboot it."} {
		history = append(history, user(question))
		reply, err := c.Chat(within(t), ask(history...), func(model.Chunk) {})
		if err != nil {
			t.Fatal(err)
		}
		if len(reply.Message.Calls) != 1 {
			t.Fatalf("turn %d: %d calls, want one: %+v", i, len(reply.Message.Calls), reply.Message)
		}
		call := reply.Message.Calls[0]
		history = append(history, reply.Message, message.Message{Role: message.Tool, Text: "a result", CallID: call.ID, ToolName: call.Name})
		reply, err = c.Chat(within(t), ask(history...), func(model.Chunk) {})
		if err != nil {
			t.Fatal(err)
		}
		if reply.Message.Text == "" || reply.DoneReason != "stop" {
			t.Fatalf("turn %d: no answer: %+v", i, reply)
		}
		history = append(history, reply.Message)
	}
	slots := l.added(t, before)
	if len(slots) != 6 {
		t.Fatalf("the server logged %d requests, want 6: %+v", len(slots), slots)
	}
	for i := 1; i < len(slots); i++ {
		t.Logf("request %d reused %s", i+1, share(slots[i-1], slots[i]))
		if slots[i].Used*100 < slots[i-1].Prompt*95 {
			t.Errorf("request %d reused %s of the prompt before; the prefix broke", i+1, share(slots[i-1], slots[i]))
		}
	}
}

// A changed first byte loses everything: the measure above can fail.
func TestServerReusesNothingOfAnotherPrefix(t *testing.T) {
	l := theLab(t)
	before := l.count(t)
	c := driver(t, l)
	for _, text := range []string{benchText, "X" + benchText} {
		if _, err := c.Chat(within(t), ask(system(text), user("Thank you")), func(model.Chunk) {}); err != nil {
			t.Fatal(err)
		}
	}
	slots := l.added(t, before)
	if len(slots) != 2 {
		t.Fatalf("the server logged %d requests, want 2", len(slots))
	}
	// What is left are the chat mark and the word "system" before the text.
	if slots[1].Used > 20 {
		t.Errorf("with another first byte the server still reused %s", share(slots[0], slots[1]))
	}
}

// A prompt that is longer than the window is refused, not cut.
func TestOverlongPromptIsRefused(t *testing.T) {
	c := driver(t, theLab(t))
	q := ask(system(benchText), user("Thank you"))
	q.NumCtx = 1024
	reply, err := c.Chat(within(t), q, func(model.Chunk) {})
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.Overflow {
		t.Fatalf("Chat gives %+v, %v; want an error with code %s", reply.Message, err, model.Overflow)
	}
}

// A model that never stops ends at the cap, with the server's own word for it.
func TestCapHolds(t *testing.T) {
	c := driver(t, theLab(t))
	q := ask(system("bench"), user("Count"))
	q.NumPredict = 64
	var streamed strings.Builder
	reply, err := c.Chat(within(t), q, func(p model.Chunk) { streamed.WriteString(p.Text) })
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat(" tick tock", 32)
	if diff := cmp.Diff([]any{want, want, 64, "length"}, []any{reply.Message.Text, streamed.String(), reply.Usage.Output, reply.DoneReason}); diff != "" {
		t.Errorf("text, streamed text, tokens, reason (-want +got):\n%s", diff)
	}
}

// The window is a part of how a model is loaded: the same one in every request
// keeps the model and its cache where they are.
func TestSameWindowLoadsOnce(t *testing.T) {
	c := driver(t, theLab(t))
	q := ask(system("bench"), user("Thank you"))
	if _, err := c.Chat(within(t), q, func(model.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	again, err := c.Chat(within(t), q, func(model.Chunk) {})
	if err != nil {
		t.Fatal(err)
	}
	if again.Usage.Load.Milliseconds() > 100 {
		t.Errorf("the second request took %s to load the model: it was not warm", again.Usage.Load)
	}
}

// What the server says of the models that the other tests use.
func TestServerKnowsItsModels(t *testing.T) {
	l := theLab(t)
	c := driver(t, l)
	info, err := c.Show(within(t), ollama.Scripted)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(info.Family, " ", info.Window, " ", info.Can("tools"), " ", info.Can("thinking"))
	if diff := cmp.Diff("llama 131072 true false", got); diff != "" {
		t.Errorf("family, window, tools, thinking (-want +got):\n%s", diff)
	}
	_, err = c.Show(within(t), "hardshell-no-such-model")
	var e *model.Error
	if !errors.As(err, &e) || e.Code != model.ModelMissing {
		t.Errorf("a model that is not there gives %v, want code %s", err, model.ModelMissing)
	}
}

// The rendered prompt of one turn, without its last mark, begins that of the
// next: what the reuse above rests on, by the server's own rendering.
func TestRenderingOnlyGrows(t *testing.T) {
	l := theLab(t)
	c := driver(t, l)
	history := []message.Message{system(benchText)}
	before := ""
	for _, question := range []string{"Thank you", "What can you do?", "And in one word?"} {
		history = append(history, user(question))
		text, err := c.Render(within(t), ask(history...))
		if err != nil {
			t.Fatal(err)
		}
		text = text[:strings.LastIndex(text, "<|go:")]
		if !strings.HasPrefix(text, before) {
			t.Fatalf("the prompt for %q does not begin with the one before it", question)
		}
		before = text
		history = append(history, message.Message{Role: message.Assistant, Text: "an answer"})
	}
}
