package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// event is one line of "go test -json".
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of a build event
}

// name is a test's full name, or the package's own when it has none.
func (e event) name() string {
	if e.Test == "" {
		return e.Package
	}
	return e.Package + "/" + e.Test
}

// tally is what a run has come to so far.
type tally struct {
	out                     io.Writer
	passed, failed, skipped int
	said                    map[string]*strings.Builder // by test, until it ends
	skips                   []skip
}

// skip is a test that did not run.
type skip struct{ test, reason string }

func newTally(out io.Writer) *tally {
	return &tally{out: out, said: map[string]*strings.Builder{}}
}

// read follows a run to its end.
func (t *tally) read(events *json.Decoder) error {
	for {
		var e event
		if err := events.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		t.add(e)
	}
}

// add takes one event.
func (t *tally) add(e event) {
	name := e.name()
	switch e.Action {
	case "output":
		if e.Test == "" && (strings.HasPrefix(e.Output, "ok ") || strings.HasPrefix(e.Output, "FAIL\t")) {
			fmt.Fprint(t.out, e.Output)
			return
		}
		if t.said[name] == nil {
			t.said[name] = &strings.Builder{}
		}
		t.said[name].WriteString(e.Output)
	case "build-output":
		fmt.Fprint(t.out, e.Output)
	case "pass":
		if e.Test != "" {
			t.passed++
		}
		delete(t.said, name)
	case "fail":
		if e.Test != "" {
			t.failed++
		}
		t.show(name)
	case "skip":
		if e.Test != "" {
			t.skipped++
			t.skips = append(t.skips, skip{name, reason(t.text(name))})
		}
		delete(t.said, name)
	}
}

// text is what a test has said so far.
func (t *tally) text(name string) string {
	if b := t.said[name]; b != nil {
		return b.String()
	}
	return ""
}

// show prints what a failed test said.
func (t *tally) show(name string) {
	fmt.Fprint(t.out, t.text(name))
	delete(t.said, name)
}

// reasonLine is how a test says why it is skipped.
var reasonLine = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`)

// reason finds why a test was skipped; a bare t.SkipNow gives none.
func reason(text string) string {
	m := reasonLine.FindAllStringSubmatch(text, -1)
	if len(m) == 0 {
		return "no reason given"
	}
	return m[len(m)-1][1]
}

// close prints the skips and totals, and reports whether all is well.
func (t *tally) close(allowed map[skip]bool) bool {
	ok := t.failed == 0
	for _, s := range t.skips {
		if allowed[s] {
			fmt.Fprintf(t.out, "skipped, as test/skips.txt allows: %s: %s\n", s.test, s.reason)
			continue
		}
		ok = false
		fmt.Fprintf(t.out, "skipped, and test/skips.txt does not allow it: %s: %s\n", s.test, s.reason)
	}
	if t.passed+t.failed == 0 {
		ok = false
		fmt.Fprintln(t.out, "no test ran")
	}
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped)
	return ok
}

// readSkips reads the allowed skips: one a line, the test's full name, a tab,
// the reason. Empty lines and lines that begin with # say nothing.
func readSkips(path string) (map[skip]bool, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the list of allowed skips: %w", err)
	}
	return parseSkips(path, string(b))
}

// parseSkips reads the text of the list.
func parseSkips(path, text string) (map[skip]bool, error) {
	allowed := map[skip]bool{}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		test, why, ok := strings.Cut(line, "\t")
		if !ok || test == "" || why == "" {
			return nil, fmt.Errorf("%s:%d: %q: write the test's full name, a tab and the reason", path, i+1, line)
		}
		allowed[skip{test, why}] = true
	}
	return allowed, nil
}
