package tools_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/lookup"
	"hardshell/tools/toolstest"
)

// systemFile gives a file of the system that commands can't change and that no
// program word leads to.
func systemFile(t *testing.T) string {
	t.Helper()
	found := ""
	err := filepath.WalkDir("/usr/lib", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.ContainsAny(e.Name(), `*?[\`) && !lookup.Writable(path, os.Getuid()) {
			if _, ok := lookup.Program(lookup.SystemDirs(), "/", e.Name(), os.Getuid()); !ok {
				found = path
				return fs.SkipAll
			}
		}
		return nil
	})
	if found == "" {
		t.Fatal("no file of the system: ", err)
	}
	return found
}

// TestStarts_Granted: what a rule's starts name may start, and nothing that only has
// its name. All else is denied here.
func TestStarts_Granted(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Deny).Judge
	d.File(t, "true", "#!/bin/sh\n")
	own := filepath.Join(d.Dir, "true")
	if err := os.Chmod(own, 0o755); err != nil {
		t.Fatal(err)
	}
	k := d.Begin(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["ls"]}`))
	defer k.Free()
	real, ok := lookup.Program(lookup.SystemDirs(), d.Dir, "true", 0)
	if !ok {
		t.Fatal("no true")
	}
	file := systemFile(t)
	const no = "rule test.deny; a rule's starts can allow it"
	for _, c := range []struct {
		name    string
		grant   []string
		program string
		want    string
	}{
		{"nothing is granted", nil, real.Real, no},
		{"by its word", []string{"true"}, real.Real, ""},
		{"another word", []string{"false"}, real.Real, no},
		{"by a pattern", []string{filepath.Base(real.Real)[:2] + "*"}, real.Real, ""},
		{"by a pattern that does not fit", []string{"zz*"}, real.Real, no},
		{"a pattern that is none", []string{"[t"}, real.Real, no},
		{"a file that no word leads to", []string{filepath.Base(file)}, file, ""},
		{"the same name in the workspace", []string{"true"}, own, no},
		{"a pattern and the workspace", []string{"tru?"}, own, no},
		{"a path of the workspace", []string{own}, own, no},
		{"the same name where nothing is", []string{"gone"}, "/usr/bin/gone", no},
	} {
		err := k.Starts(policy.Grants{Starts: c.grant})(tools.Start{Program: c.program, Argv: []string{"true"}, Dir: d.Dir})
		got := ""
		if err != nil {
			got = err.Error()
		}
		toolstest.Diff(t, c.name, got, c.want)
	}
}

// TestStarts_AProgramOfTheWorkspace may start as long as it is what was judged.
func TestStarts_AProgramOfTheWorkspace(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Deny).Judge
	d.File(t, "run.sh", "#!/bin/sh\necho 1\n")
	run := filepath.Join(d.Dir, "run.sh")
	if err := os.Chmod(run, 0o755); err != nil {
		t.Fatal(err)
	}
	k := d.Begin(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["./run.sh"]}`))
	defer k.Free()
	s := k.Starts(policy.Grants{})
	start := tools.Start{Program: run, Argv: []string{"./run.sh"}, Dir: d.Dir}
	toolstest.Diff(t, "as it was judged", s(start), nil)
	const changed = "it was changed after it was judged"
	d.File(t, "run.sh", "#!/bin/sh\necho 2\n")
	if err := s(start); err == nil || err.Error() != changed {
		t.Errorf("other bytes: %v", err)
	}
	if err := os.Remove(run); err != nil {
		t.Fatal(err)
	}
	if err := s(start); err == nil || err.Error() != changed {
		t.Errorf("gone: %v", err)
	}
}

// TestStarts_Alone: a start that nothing grants is judged as an action of its own,
// nobody is asked, and what can't be judged does not start.
func TestStarts_Alone(t *testing.T) {
	d := newDoor(t)
	var asked policy.Action
	var facts policy.Facts
	verdict := policy.Allow
	d.Policy.Judge = func(a policy.Action, f policy.Facts) policy.Decision {
		if asked, facts = a, f; verdict == policy.Deny+9 {
			panic("a fault")
		}
		return policy.Decision{Verdict: verdict, Rule: "r"}
	}
	k := d.Begin(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["ls"]}`))
	defer k.Free()
	real, ok := lookup.Program(lookup.SystemDirs(), d.Dir, "true", 0)
	if !ok {
		t.Fatal("no true")
	}
	s := k.Starts(policy.Grants{})
	judge := func(one tools.Start) string {
		one.Program, one.Dir = real.Real, d.Dir
		if err := s(one); err != nil {
			return err.Error()
		}
		return ""
	}
	toolstest.Diff(t, "allowed", judge(tools.Start{Argv: []string{"/elsewhere/true", "x"}}), "")
	toolstest.Diff(t, "action", asked, policy.Action{Tool: "exec", Kind: &policy.Exec{Argv: []string{"true", "x"}, Cwd: d.Dir}})
	toolstest.Diff(t, "attended", facts.Attended, false)
	const unseen = "its words can't be judged, there are too many or none; the policy's starts can allow it"
	toolstest.Diff(t, "not all of its words", judge(tools.Start{Argv: []string{"true"}, Cut: true}), unseen)
	toolstest.Diff(t, "no words", judge(tools.Start{}), unseen)
	verdict = policy.Ask
	toolstest.Diff(t, "a question", judge(tools.Start{Argv: []string{"true"}}), "rule r; a rule's starts can allow it")
	verdict = policy.Deny + 9
	toolstest.Diff(t, "a fault", judge(tools.Start{Argv: []string{"true"}}), "policy broke on it (a fault); report this as a fault of hardshell")
}
