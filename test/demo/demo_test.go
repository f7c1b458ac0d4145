package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/test/ollama"
	"hardshell/test/scripted"
)

// The scripted model knows every question of the demo, and does what a capable
// model would.
func TestScriptKnowsTheQuestions(t *testing.T) {
	for _, q := range questions {
		found := false
		for _, scene := range scripted.Lab() {
			if scene.Ask == "" || !strings.HasPrefix(q.Text, scene.Ask) {
				continue
			}
			found = true
			var calls []event.Tool
			for _, c := range scene.Steps[0][0].Calls {
				calls = append(calls, event.Tool{Name: c.Name, Args: json.RawMessage(c.Args)})
			}
			if !(try{question: q, calls: calls, status: "done"}).right() {
				t.Errorf("%q: the script begins with %v, the question needs %s %s", q.Text, scene.Steps[0], q.Tool, q.Arg)
			}
			break
		}
		if !found {
			t.Errorf("%q is in no scene", q.Text)
		}
	}
}

// What the questions name is in the sample workspace.
func TestWorkspaceHasWhatIsAskedFor(t *testing.T) {
	for _, name := range []string{"AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md", "logs/burn-in.log", "notes/speaker-board.md"} {
		if _, err := os.Stat(filepath.Join("workspace", name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join("workspace", "notes", "C-017.md")); err == nil {
		t.Error("the note that the session writes is there already")
	}
}

func TestRight(t *testing.T) {
	read := func(path string) event.Tool {
		return event.Tool{Name: "read", Args: json.RawMessage(`{"path":"` + path + `"}`)}
	}
	needsRead := question{"?", "read", "a.log"}
	for _, c := range []struct {
		name string
		try  try
		want bool
	}{
		{"the call that it needs", try{question: needsRead, calls: []event.Tool{read("a.log")}}, true},
		{"another file", try{question: needsRead, calls: []event.Tool{read("b.log")}}, false},
		{"another tool", try{question: needsRead, calls: []event.Tool{{Name: "exec", Args: json.RawMessage(`{"argv":["cat","a.log"]}`)}}}, false},
		{"too late", try{question: needsRead, calls: []event.Tool{read("b.log"), read("a.log")}}, false},
		{"no call", try{question: needsRead, status: "done"}, false},
		{"small talk", try{question: question{Text: "?"}, status: "done"}, true},
		{"small talk with a call", try{question: question{Text: "?"}, status: "done", calls: []event.Tool{read("a.log")}}, false},
		{"small talk that failed", try{question: question{Text: "?"}, status: "limit"}, false},
	} {
		if got := c.try.right(); got != c.want {
			t.Errorf("%s: right gives %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	var out strings.Builder
	report(&out, []try{
		{question: questions[0], status: "done", answer: "a lot", firstMS: 80},
		{question: questions[1], status: "done", calls: []event.Tool{{Name: "exec"}}, firstMS: 90},
	})
	const want = `QUESTION                                   NEEDS      BEGAN WITH  RIGHT  FIRST TOKEN
What can you do here?                      an answer  an answer   yes    80 ms
Summarise logs/burn-in.log in one senten…  read       exec        no     90 ms
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestLine(t *testing.T) {
	calls := make([]event.Tool, 5)
	for i := range calls {
		calls[i] = event.Tool{Name: "read", Args: json.RawMessage(`{}`), Outcome: "ok"}
	}
	got := try{calls: calls, status: "limit", answer: "two\nlines", trouble: "turn.max_steps"}.line()
	if diff := cmp.Diff(`read {}: ok; read {}: ok; read {}: ok; 2 more calls; "two lines"; turn.max_steps; limit`, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestEnded(t *testing.T) {
	got, ok := ended(strings.NewReader(`{"event":"turn.start"}` + "\n" + `{"event":"turn.end","end":{"status":"done","answer":"x","calls":null}}`))
	if want := (event.End{Status: "done", Answer: "x"}); !ok || !cmp.Equal(want, got) {
		t.Errorf("ended gives %+v, %v", got, ok)
	}
	if _, ok := ended(strings.NewReader(`{"event":"turn.start"}`)); ok {
		t.Error("ended found an end where there is none")
	}
}

func TestReuse(t *testing.T) {
	got := reuse([]ollama.Slot{{Used: 0, Prompt: 900}, {Used: 899, Prompt: 950}})
	if diff := cmp.Diff("0 of 900, then 899 of 950 prompt tokens reused", got); diff != "" {
		t.Errorf("reuse (-want +got):\n%s", diff)
	}
}

// A person's own settings stay out of the demo, and the model is left to the
// program unless only the scripted one is there.
func TestBench(t *testing.T) {
	for _, c := range []struct {
		kind, own, want string
	}{{"scripted", "mine", ollama.Scripted}, {"real", "mine", "mine"}, {"real", "", ""}} {
		dir := t.TempDir()
		env := map[string]string{"LAB_KIND": c.kind, "HARDSHELL_MODEL": c.own}
		b, err := newBench("agent", filepath.Join("..", ".."), dir, func(k string) string { return env[k] })
		if err != nil {
			t.Fatal(err)
		}
		last := map[string]string{}
		for _, e := range b.env {
			k, v, _ := strings.Cut(e, "=")
			last[k] = v
		}
		if got := last["HARDSHELL_MODEL"]; got != c.want {
			t.Errorf("%s: the model is %q, want %q", c.kind, got, c.want)
		}
		for _, k := range []string{"HARDSHELL_STATE", "HARDSHELL_WORKSPACE", "HARDSHELL_CONFIG"} {
			if !strings.HasPrefix(last[k], dir) {
				t.Errorf("%s is %q, outside of the demo's folder", k, last[k])
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "workspace", "logs", "burn-in.log")); err != nil {
			t.Error(err)
		}
	}
}
