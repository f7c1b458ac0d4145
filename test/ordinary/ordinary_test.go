package ordinary

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// systemPath is where programs are looked up, as the agent does.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// missing gives the programs that a row names and that are not installed, and whether
// a Debian package brings all of them.
func missing(t *testing.T, r row) (names []string, packaged bool) {
	t.Helper()
	packaged = true
	words := strings.FieldsFunc(r.command+" "+r.before, func(c rune) bool { return strings.ContainsRune(" \t\"[],;|&(){}`$", c) })
	for _, cols := range table(t, "testdata/programs.tsv") {
		if !slices.Contains(words, cols[0]) || installed(cols[0]) {
			continue
		}
		names = append(names, cols[0])
		packaged = packaged && cols[1] != "-"
	}
	return names, packaged
}

// installed reports whether a program is there.
func installed(name string) bool {
	return slices.ContainsFunc(systemPath, func(dir string) bool {
		_, err := exec.LookPath(dir + "/" + name)
		return err == nil
	})
}

// TestOrdinaryWork runs every row.
func TestOrdinaryWork(t *testing.T) {
	all := rows(t)
	if len(all) < 300 {
		t.Errorf("the table has %d rows, want 300", len(all))
	}
	b := newBench(t)
	counts := map[string]int{}
	for _, r := range all {

		if names, packaged := missing(t, r); len(names) > 0 && r.verdict != "refused" {
			if packaged && os.Getenv("CI") != "" {
				t.Errorf("%s: %s is not installed: add its package to testdata/programs.tsv", r, strings.Join(names, ", "))
			}
			t.Logf("left out: %s: %s is not installed", r, strings.Join(names, ", "))
			counts["left out"]++
			continue
		}
		counts[r.verdict]++
		b.hold(r)
	}
	t.Logf("%d rows: %v", len(all), counts)
}

// hold runs one row and holds what came of it against the table.
func (b *bench) hold(r row) {
	b.t.Helper()
	d := b.once(r, fmt.Sprintf("row-%d", r.line), "once")
	b.t.Logf("%s\n%s", r, d.Text)
	if d.asked == nil || !r.always || !d.asked.Standing {
		return
	}
	// By rule: what was allowed for always is asked no more.
	b.once(r, fmt.Sprintf("row-%d-always", r.line), "always")
	r.verdict = "runs"
	b.once(r, fmt.Sprintf("row-%d-again", r.line), "deny")
}

// once runs a row in a fresh workspace and looks at the verdict, at what is shown and
// at the effect.
func (b *bench) once(r row, session, answer string) done {
	b.t.Helper()
	b.fresh()
	if err := b.outside(r.before); err != nil {
		b.t.Errorf("%s: before: %v", r, err)
		return done{}
	}
	d, err := b.try(session, r, answer)
	if err != nil {
		b.t.Errorf("%s: %v", r, err)
		return d
	}
	switch verdict := d.verdict(); {
	case verdict != r.verdict:
		b.t.Errorf("%s: %s by %s, want %s:\n%s", r, verdict, d.Rule, r.verdict, d.Text)
		return d
	case d.asked != nil && d.asked.Standing != r.always:
		b.t.Errorf("%s: the question offers always: %v", r, d.asked.Standing)
	}
	for _, want := range r.shown() {
		if !strings.Contains(d.Text, want) {
			b.t.Errorf("%s: %q is not shown in:\n%s", r, want, d.Text)
		}
	}
	if r.verdict != "refused" && strings.Contains(d.Text, "did not start") && !slices.Contains(r.shows, "did not start") {
		b.t.Errorf("%s: a program of it did not start:\n%s", r, d.Text)
	}
	if err := b.outside(r.effect); err != nil {
		b.t.Errorf("%s: the effect: %v\n%s", r, err, d.Text)
	}
	return d
}

// shown is what has to stand in the result.
func (r row) shown() []string {
	switch {
	case r.verdict == "refused":
		return append([]string{"refused: ", "hint: "}, r.shows...)
	case r.tool == "exec" && !strings.Contains(strings.Join(r.shows, " "), "[exit") && !strings.Contains(string(r.args), `"background":true`):
		return append([]string{"[exit 0"}, r.shows...)
	}
	return r.shows
}

// verdict is what happened, in the table's words.
func (d done) verdict() string {
	switch {
	case d.asked != nil:
		return "asks"
	case d.Verdict == "allow":
		return "runs"
	}
	return "refused"
}
