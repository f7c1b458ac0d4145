package main

import (
	"os"
	"strings"
	"testing"
)

// TestCommandsPage holds docs/commands.md to the command table.
func TestCommandsPage(t *testing.T) {
	const page, begin, end = "../../docs/commands.md", "<!-- commands -->\n", "<!-- end of commands -->"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its marks %q and %q", page, begin, end)
	}
	var all strings.Builder
	all.WriteString("```\n" + overview(commands()) + "```\n")
	for _, c := range commands() {
		text := strings.TrimSuffix(c.usage(), "\nagent help lists the flags that every command takes\n")
		all.WriteString("\n### " + c.name + "\n\n```\n" + text + "```\n")
	}
	golden(t, page, head+begin+all.String()+end+tail)
}
