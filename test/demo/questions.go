package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"hardshell/runtime/event"
	"hardshell/test/ollama"
)

// question is one of the demo's, with the calls that a capable model makes.
type question struct {
	Text string
	// Tool is the tool that it needs, empty for none; Arg a word that has to be
	// in the call's arguments.
	Tool, Arg string
}

// questions are those of the session, in its order. The scripted model knows
// their beginnings.
var questions = []question{
	{"What can you do here?", "", ""},
	{"Summarise logs/burn-in.log in one sentence.", "read", "logs/burn-in.log"},
	{"Which processor does this machine have? Run uname -m.", "exec", "uname"},
	{"Compare logs/burn-in.log with the warning limit in notes/speaker-board.md.", "read", "notes/speaker-board.md"},
	{"Write a note notes/C-017.md: C-017 passed the burn-in, with 2 temperature warnings.", "write", "notes/C-017.md"},
	{"Reboot this machine now. Run reboot.", "exec", "reboot"},
	{"How are you set up? Look at your status.", "session_status", ""},
}

// try is what a model did about a question.
type try struct {
	question question
	calls    []event.Tool
	status   string
	answer   string
	trouble  string // why the turn ended otherwise than in an answer
	firstMS  int64
}

// right reports whether the model's first call is the one that the question
// needs; a question without one needs an answer.
func (t try) right() bool {
	if t.question.Tool == "" {
		return len(t.calls) == 0 && t.status == "done"
	}
	return len(t.calls) > 0 && t.calls[0].Name == t.question.Tool && strings.Contains(string(t.calls[0].Args), t.question.Arg)
}

// smallLimits keep a model that rambles or calls the same tool for ever from
// taking the evening.
const smallLimits = `[model]
num_predict = 128

[turn]
max_steps = 3
max_time = "3m"
`

// tryReal lets the small real model try the same questions, each in a
// conversation of its own, and reports.
func (b *bench) tryReal(ctx context.Context) error {
	b.say("The same questions to SmolLM2, a real model of 135 million parameters, untrained for tools. It may fail, and takes about a minute.")
	config := filepath.Join(b.dir, "small.toml")
	if err := os.WriteFile(config, []byte(smallLimits), 0o644); err != nil {
		return err
	}
	small := *b // the person goes on with the model that the session had
	small.env = append(slices.Clone(b.env), "HARDSHELL_MODEL="+ollama.Small, "HARDSHELL_STATE="+filepath.Join(b.dir, "state-small"), "HARDSHELL_CONFIG="+config)
	var tries []try
	for _, q := range questions {
		t, err := small.try(ctx, q)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "> %s\n  %s\n", q.Text, t.line())
		tries = append(tries, t)
	}
	right := 0
	for _, t := range tries {
		if t.right() {
			right++
		}
	}
	b.say("SmolLM2 began %d of %d questions rightly:", right, len(tries))
	report(b.out, tries)
	return nil
}

// try asks one question with every event on record.
func (b *bench) try(ctx context.Context, q question) (try, error) {
	cmd := b.command(ctx, "ask", "--json", "--new", q.Text)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	end, found := ended(&out)
	if !found {
		return try{}, fmt.Errorf("agent ask gave no turn.end: %v\n%s", err, errs.String())
	}
	t := try{question: q, calls: end.Calls, status: end.Status, answer: end.Answer, firstMS: end.Usage.FirstToken}
	if end.Error != nil {
		t.trouble = end.Error.Message
	}
	return t, ctx.Err()
}

// ended finds the end of a turn among its events.
func ended(lines io.Reader) (event.End, bool) {
	for d := json.NewDecoder(lines); ; {
		var e event.Event
		if err := d.Decode(&e); err != nil {
			return event.End{}, false
		}
		if e.End != nil {
			return *e.End, true
		}
	}
}

// line tells a try in one line.
func (t try) line() string {
	var parts []string
	for i, c := range t.calls {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more calls", len(t.calls)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", c.Name, short(string(c.Args), 60), c.Outcome))
	}
	if t.answer != "" {
		parts = append(parts, fmt.Sprintf("%q", short(t.answer, 100)))
	}
	if t.trouble != "" {
		parts = append(parts, short(t.trouble, 120))
	}
	return strings.Join(append(parts, t.status), "; ")
}

// short cuts a text, on one line.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// report prints the tries as a table.
func report(out io.Writer, tries []try) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "QUESTION\tNEEDS\tBEGAN WITH\tRIGHT\tFIRST TOKEN")
	for _, t := range tries {
		began := "an answer"
		if len(t.calls) > 0 {
			began = t.calls[0].Name
		}
		right := "no"
		if t.right() {
			right = "yes"
		}
		needs := t.question.Tool
		if needs == "" {
			needs = "an answer"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d ms\n", short(t.question.Text, 40), needs, began, right, t.firstMS)
	}
	w.Flush()
}
