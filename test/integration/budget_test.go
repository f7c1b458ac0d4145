package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"hardshell/test/ollama"
)

// What system text and tool array may take, in tokens of SmolLM2's tokenizer as a
// real server counts them: every one of them is read before a person's first word.
const (
	coreBudget   = 1300 // with commands, files, sensors and status alone
	promptBudget = 2200 // with all tools
)

// write makes a file.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The system text without workspace files plus the tools that the lab policy
// offers, all of them and the first six alone, counted by a real server.
func TestPromptBudget(t *testing.T) {
	p := newPerson(t, "")
	if err := p.lab.CreateCounter(within(t), p.lab.files.Small); err != nil {
		t.Fatal(err)
	}
	core := []string{"exec", "read", "write", "edit", "sensors", "session_status"}
	lab, err := os.ReadFile("../../deploy/jetson/policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(t.TempDir(), "first.toml")
	write(t, first, strings.Replace(string(lab), `allow = ["*"]`, `allow = ["`+strings.Join(core, `", "`)+`"]`, 1))
	for _, c := range []struct {
		name   string
		flags  []string
		tools  []string
		budget int
	}{
		{"the first six tools", []string{"--policy", first}, core, coreBudget},
		{"all tools", nil, append(core[:1:1], append([]string{"process"}, core[1:]...)...), promptBudget},
	} {
		var prompt struct {
			System string    `json:"system"`
			Tools  api.Tools `json:"tools"`
		}
		if err := json.Unmarshal([]byte(p.must(append([]string{"context", "prompt", "--json", "--mode", "full", "--run", "chat"}, c.flags...)...)), &prompt); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range prompt.Tools {
			names = append(names, tool.Function.Name)
		}
		if diff := cmp.Diff(c.tools, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		system := p.lab.tokens(t, prompt.System, nil)
		both := p.lab.tokens(t, prompt.System, prompt.Tools)
		t.Logf("%s: system text: %d tokens, %d bytes; tools: %d tokens; together %d of %d", c.name, system, len(prompt.System), both-system, both, c.budget)
		if both > c.budget {
			t.Errorf("%s: system text and tools take %d tokens, the budget is %d", c.name, both, c.budget)
		}
	}
}

// tokens counts a system text and tools as the server does.
func (l *lab) tokens(t *testing.T, system string, tools api.Tools) int {
	t.Helper()
	no, count := false, 0
	req := &api.ChatRequest{
		Model: ollama.Counter, Tools: tools, Truncate: &no, Shift: &no,
		Messages: []api.Message{{Role: "system", Content: system}, {Role: "user", Content: "x"}},
		Options:  map[string]any{"num_ctx": 8192, "num_predict": 1},
	}
	err := l.Client().Chat(within(t), req, func(r api.ChatResponse) error {
		if r.Done {
			count = r.PromptEvalCount
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}
