package main

import (
	"os"
	"strings"
	"testing"
)

// TestCommandsPage holds docs/commands.md to the command table and the list of
// slash commands.
func TestCommandsPage(t *testing.T) {
	const page = "../../docs/commands.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := between(t, string(b), "slash", "```\n"+slashHelp+"```\n")
	var all strings.Builder
	all.WriteString("```\n" + overview(commands()) + "```\n")
	for _, c := range commands() {
		text := strings.TrimSuffix(c.usage(), "\nagent help lists the flags that every command takes\n")
		all.WriteString("\n### " + c.name + "\n\n```\n" + text + "```\n")
	}
	golden(t, page, between(t, text, "commands", all.String()))
}

// between puts a text between the two marks of a name.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("the page has lost its marks %q and %q", begin, end)
	}
	return head + begin + text + end + tail
}
