package ways

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hardshell/runtime/model/modeltest"
	"hardshell/test/arch/measure"
)

var (
	update = flag.Bool("update", false, "write the counts into docs/develop.md")
	root   = flag.String("root", "../..", "the checkout whose ways are counted")
)

// TestWays counts the four ways.
func TestWays(t *testing.T) {
	l := newLab(t, *root)
	above, err := layers(*root)
	if err != nil {
		t.Fatal(err)
	}
	var all []Way
	count := func(name string, from, to time.Time, keep func(note) bool) {
		t.Helper()
		notes, err := readNotes(l.notes, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if keep != nil { // to the last one that is kept
			i := len(notes)
			for i > 0 && !keep(notes[i-1]) {
				i--
			}
			notes = notes[:i]
		}
		all = append(all, wayOf(name, notes, above))
	}

	began := time.Now()
	l.mark(questionMark)
	l.agent("ask", "how warm is the board, "+questionMark+"?")
	count("a question to the model's request", began, l.server.first(t, questionMark), nil)

	l.mark(callMark)
	l.server.server.Script(clockCall("date", "+%s%N "+callMark), modeltest.Text("told"))
	l.agent("ask", "what time is it?")
	count("a call's arguments to the started process", began, l.started(callMark), nil)

	l.mark(ruleMark)
	l.agent("policy", "check", "--", "date", "+%s")
	count("a rule from the file to a decision", began, time.Now(), func(n note) bool { return strings.HasPrefix(n.file, "policy/") })

	l.server.server.Script(clockCall("date", "-u", "+%s%N universal"), modeltest.Text("told"))
	given := l.answered("what time is it in Greenwich?")
	count("an approval's answer to the waiting call", given, l.started("universal"), nil)

	var rows []measure.Row
	for _, w := range all {
		rows = append(rows, measure.Row{What: w.Name, Now: w.String()})
		if len(w.Functions) == 0 {
			t.Errorf("%s passed nothing", w.Name)
		}
		t.Logf("%s: %s\n\t%s\nback:\n\t%s", w.Name, w, strings.Join(w.Functions, "\n\t"), strings.Join(slices.Concat(w.Back, w.Packages), "\n\t"))
	}
	hold(t, rows)
}

// hold compares the page with what was counted, or writes it. Another checkout has
// no page to hold.
func hold(t *testing.T, rows []measure.Row) {
	t.Helper()
	name := filepath.Join(*root, measure.Page)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Logf("nothing to compare with: %v", err)
		return
	}
	if !*update {
		for _, s := range measure.Stale(string(b), rows) {
			t.Errorf("%s; go test ./test/ways -update writes it", s)
		}
		return
	}
	page, err := measure.Write(string(b), rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}
