package assembly

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The example in the manual is what Render gives, not what somebody remembers.
func TestManualShowsARealPrompt(t *testing.T) {
	path := filepath.Join("..", "docs", "prompt.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "-update -->\n```text\n", "```\n"
	head, rest, found := strings.Cut(string(data), open)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the example", path)
	}
	want := head + open + render(t, lab()).System + "\n" + end + tail
	if string(data) == want {
		return
	}
	if !*update {
		t.Fatalf("the example in %s has drifted; write it with: go test ./assembly -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What the manual says of marks and limits is what the code does.
func TestManualQuotesTheCode(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "prompt.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(chars(23_000, "END"))
	p := render(t, within(Budget{}, File{Name: "AGENTS.md", Data: text}))
	_, mark, _ := strings.Cut(p.System, "\n[hardshell")
	mark, _, _ = strings.Cut(mark, "]\n")
	for _, want := range append(WorkspaceFiles(), "[hardshell"+mark+"]", "[LEFT OUT] TOOLS.md: 15000 characters, no room. "+howToRead(&Input{Tools: fiveTools()}, File{Name: "TOOLS.md"}, 1), "20000", "60000", "0.3",
		"prompt.bootstrap_max_chars", "prompt.bootstrap_total_max_chars", "prompt.bootstrap_window_share") {
		if !strings.Contains(string(data), want) {
			t.Errorf("docs/prompt.md does not show %q", want)
		}
	}
	for _, f := range families {
		if !strings.Contains(string(data), f.overlay) {
			t.Errorf("docs/prompt.md does not name the family %s", f.overlay)
		}
	}
}
