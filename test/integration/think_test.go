package integration

import (
	"strings"
	"testing"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/test/ollama"
)

// ChatML for a model that thinks, with the level where the three usual kinds of
// templates write it: MARK stands in the system block, NEWEST behind the newest
// question, OPENING at the end.
const thinkTemplate = `{{- $last := -1 }}
{{- range $i, $_ := .Messages }}{{ if eq .Role "user" }}{{ $last = $i }}{{ end }}{{ end }}<|im_start|>system
MARK{{ .System }}{{ .Tools }}<|im_end|>
{{ range $i, $_ := .Messages }}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}{{ if eq $i $last }}NEWEST{{ end }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if and .Thinking (gt $i $last) }}<think>{{ .Thinking }}</think>
{{ end }}{{ .Content }}<|im_end|>
{{ end }}{{ end }}<|im_start|>assistant
OPENING`

// level is what a template writes of the thinking.
const level = `{{ if $.IsThinkSet }}{{ if not $.Think }}no {{ end }}thinking{{ end }}`

// What a change of the thinking costs, by the server's own log, and that the person
// who changes it is told where it costs something.
func TestThinkChangeCosts(t *testing.T) {
	l := theLab(t)
	c := driver(t, l)
	for _, one := range []struct {
		name, place string
		most        int // of the prompt before, read again, in percent
		told        bool
	}{
		{"think-front:lab", "MARK", 100, true},
		{"think-newest:lab", "NEWEST", 8, false},
		{"think-opening:lab", "OPENING", 1, false},
	} {
		t.Run(one.name, func(t *testing.T) {
			text := strings.Replace(thinkTemplate, one.place, level, 1)
			if err := c.Derive(within(t), one.name, ollama.Scripted, strings.NewReplacer("MARK", "", "NEWEST", "", "OPENING", "").Replace(text)); err != nil {
				t.Fatal(err)
			}
			before := l.count(t)
			q := ask(system(benchText), user("Hello"), message.Message{Role: message.Assistant, Text: "Hello."}, user("Which board is this?"))
			q.Model, q.NumPredict = one.name, 1
			for _, q.Think = range []model.Think{model.ThinkOff, model.ThinkOff, model.ThinkOn} {
				if _, err := c.Chat(within(t), q, func(model.Chunk) {}); err != nil {
					t.Fatal(err)
				}
			}
			all := l.added(t, before)
			if len(all) != 3 {
				t.Fatalf("the server logged %d requests, want 3", len(all))
			}
			same, other := all[1].Prompt-all[1].Used, all[2].Prompt-all[2].Used
			t.Logf("of %d tokens the same level read %d, another one %d", all[2].Prompt, same, other)
			share := 100 * other / all[1].Prompt
			if share > one.most || one.told && share < 95 {
				t.Errorf("a change read %d of %d tokens again", other, all[2].Prompt)
			}
			p := newPerson(t, "")
			p.env = append(p.env, "HARDSHELL_MODEL="+one.name)
			o := p.run("/think high\n", "chat")
			if o.Code != 0 || strings.Contains(o.Stderr, "the template of "+one.name+" writes the level behind byte ") != one.told {
				t.Errorf("exit %d\n%s", o.Code, o.Stderr)
			}
			t.Log(o.Stderr)
		})
	}
}
