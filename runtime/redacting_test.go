package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/tools/secret"
)

// TestCase140_NoSecretReachesModelPersonOrRecord puts a secret value everywhere: into
// the prompt's files and skills, the question, thinking, answer and arguments of the
// model (cut anywhere), and looks for it in all that is sent, shown and stored.
func TestCase140_NoSecretReachesModelPersonOrRecord(t *testing.T) {
	const value, mark = "s3cr3t-zz", "[secret LAB_KEY]"
	pieces := func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		for _, c := range []model.Chunk{
			{Thinking: "he says s3cr"}, {Thinking: "3t-zz, and s3"}, {Text: "The key is s3cr3"}, {Text: "t-zz. Or s3c"}, {Text: ""}, {Text: "r3t-zz"},
		} {
			chunk(c)
		}
		var r model.Reply
		r.Message = message.Message{Text: "The key is s3cr3t-zz. Or s3cr3t-zz", Thinking: "he says s3cr3t-zz, and s3", Calls: []message.Call{{Name: "exec", Args: json.RawMessage(`{"argv":["echo","s3cr3t-zz"]}`)}}}
		return r, nil
	}
	l := newLab(t, func(c *Config) {
		c.Redactor = secret.New([]secret.Named{{Name: "LAB_KEY", Value: value}})
		c.Reasoning = "stream"
		c.Skills = func() []assembly.Skill {
			return []assembly.Skill{{Name: "login", Description: "log in with " + value}}
		}
	}, pieces, say("It is "+value+"."), say("bye"))
	l.files.set("AGENTS.md", "# Lab\nThe key is "+value+".\n")
	end := l.ask("is " + value + " the key?")
	if end.Status != Done || end.Answer != "It is "+mark+"." {
		t.Errorf("%+v", end)
	}
	if d := cmp.Diff([]string{`exec {"argv":["echo","` + mark + `"]}`}, l.bench.ran); d != "" {
		t.Error(d)
	}
	thought := ""
	for _, e := range l.events {
		if e.Kind == event.ModelChunk {
			thought += e.Chunk.Thinking
		}
	}
	if want := "he says " + mark + ", and s3"; thought != want {
		t.Errorf("shown of the thinking: %q, want %q", thought, want)
	}
	if want := "The key is " + mark + ". Or " + mark; !strings.HasPrefix(l.shown(), want) {
		t.Errorf("shown %q, want it to begin with %q", l.shown(), want)
	}
	l.ask("and now?")
	entries, err := l.agent.sessions.store.EntriesFrom("main", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for _, e := range entries {
		fmt.Fprintln(&kept, string(e.Data))
	}
	view, err := l.agent.View(context.Background(), ViewQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for what, v := range map[string]any{"requests": l.model.requests, "events": l.events, "end": end, "view": view, "entries": kept.String()} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), value) {
			t.Errorf("%s hold the secret: %.2000s", what, b)
		}
	}
	if sent := asRead(l.model.requests[0]); strings.Count(sent, mark) != 3 {
		t.Errorf("the first request has it %d times, want file, skill and question:\n%s", strings.Count(sent, mark), sent)
	}
}
