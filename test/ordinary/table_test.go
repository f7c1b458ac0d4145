package ordinary

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// row is one line of the table.
type row struct {
	line    int
	verdict string // runs, asks, refused
	always  bool   // the question offers "always"
	command string // as it stands in the table
	tool    string
	args    json.RawMessage
	shows   []string // fragments of the result, in any order
	effect  string   // shell text that succeeds afterwards, in the workspace, outside
	before  string   // shell text that runs first, in the workspace, outside
}

// String names a row in messages.
func (r row) String() string { return fmt.Sprintf("line %d: %s", r.line, r.command) }

// rows reads the table.
func rows(t *testing.T) []row {
	t.Helper()
	var out []row
	for i, cols := range table(t, "testdata/commands.tsv") {
		if len(cols) > 5 {
			t.Fatalf("line %d has %d columns, want 5 at most", i, len(cols))
		}
		cols = append(cols, "", "", "", "")
		r := row{line: i, command: cols[1], effect: cols[3], before: cols[4]}
		r.verdict, r.always = strings.TrimSuffix(cols[0], "+"), strings.HasSuffix(cols[0], "+")
		if !slices.Contains([]string{"runs", "asks", "refused"}, r.verdict) {
			t.Fatalf("line %d: %q is no verdict", i, cols[0])
		}
		for _, s := range strings.Split(cols[2], " … ") {
			if s != "" {
				r.shows = append(r.shows, s)
			}
		}
		r.tool, r.args = call(t, r.command)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b row) int { return a.line - b.line })
	return out
}

// table reads a file of columns with tabs between them, by line.
func table(t *testing.T, file string) map[int][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int][]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			out[i+1] = strings.Split(line, "\t")
		}
	}
	return out
}

// call makes a tool call of a command: "sh: TEXT" is a script, "tool NAME {…}" any
// call, "[…]" a list of words, "{…}" all arguments of exec, and anything else words
// with blanks between them.
func call(t *testing.T, command string) (tool string, args json.RawMessage) {
	t.Helper()
	var v any
	switch {
	case strings.HasPrefix(command, "tool "):
		name, rest, _ := strings.Cut(strings.TrimPrefix(command, "tool "), " ")
		return name, json.RawMessage(rest)
	case strings.HasPrefix(command, "{"):
		return "exec", json.RawMessage(command)
	case strings.HasPrefix(command, "["):
		v = map[string]any{"argv": json.RawMessage(command)}
	case strings.HasPrefix(command, "sh: "):
		v = map[string]any{"script": strings.TrimPrefix(command, "sh: ")}
	default:
		v = map[string]any{"argv": strings.Fields(command)}
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return "exec", b
}
