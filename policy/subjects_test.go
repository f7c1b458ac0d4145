package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSubjects looks at what has to be looked up before a decision.
func TestSubjects(t *testing.T) {
	p := labPolicy(t)
	tests := []struct {
		name   string
		action Action
		want   Subjects
	}{
		{"a file", fileAction(Read, "notes/a.md"), Subjects{Paths: []string{"notes/a.md"}}},
		{"argv", argvAction("cat", "-n", "a.txt", "/etc/passwd"), Subjects{Programs: []string{"cat"}, Paths: []string{"/etc/passwd", work, "a.txt"}}},
		{"values of flags", argvAction("sort", "-o", "out.txt", "--output=o2", "-oo3", "in.txt"), Subjects{Programs: []string{"sort"}, Paths: []string{work, "in.txt", "o2", "o3", "out.txt"}}},
		{"what is carried", argvAction("timeout", "5", "env", "LANG=C", "nice", "cat", "a.txt"), Subjects{Programs: []string{"cat", "env", "nice", "timeout"}, Paths: []string{work, "a.txt"}}},
		{"find -exec", argvAction("find", "sub", "-exec", "cat", "{}", "a.txt", ";"), Subjects{Programs: []string{"cat", "find"}, Paths: []string{work, "sub"}}},
		{"words of a program without a rule", argvAction("frob", "-I/x/y", "--in=k/l", "@list", "a:/b,c", "plain", "if=/dev/sda"), Subjects{
			Programs: []string{"frob"}, Paths: []string{"/b", "/dev/sda", work, "/x/y", "@list", "a:/b,c", "if=/dev/sda", "k/l", "list", "plain"},
		}},
		{"a program by path", argvAction("./run.sh", "x"), Subjects{Programs: []string{"./run.sh"}, Paths: []string{work, "x"}}},
		{"a script", scriptAction(`cd sub && grep -n x a.txt | sort > "out $(date +%F)/b"; if true; then (wc -l "$(id)"); fi`), Subjects{
			Programs: []string{"date", "grep", "id", "sh", "sort", "true", "wc"}, Paths: []string{work, "sub", "sub/a.txt", "sub/x"},
		}},
		{"patterns of a script", scriptAction(`for f in *.md 'q*'/[!x].c; do wc -l "$f"; done; cat x`), Subjects{
			Programs: []string{"cat", "sh", "wc"}, Paths: []string{"*.md", work, "q*/[!x].c", "x"}, Globs: []string{"*.md", `q\*/[^x].c`},
		}},
		{"the agent's own state", Action{Kind: Look{}, Tool: "session_status"}, Subjects{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, toLookUp(p, tt.action)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMissingGetsSmaller looks at the rounds that shell text with patterns needs.
func TestMissingGetsSmaller(t *testing.T) {
	p, w := labPolicy(t), labWorld()
	d := w.decide(t, p, scriptAction(`for f in notes/*.md; do cp "$f" "${f%.md}.txt"; done`))
	if d.Verdict != Allow || w.rounds != 2 {
		t.Errorf("%d rounds: %+v", w.rounds, d)
	}
	d = w.decide(t, p, argvAction("cat", "a.txt"))
	if d.Verdict != Allow || w.rounds != 1 {
		t.Errorf("%d rounds: %+v", w.rounds, d)
	}
}

// TestWithoutLookUp denies what was not looked up, each kind by itself.
func TestWithoutLookUp(t *testing.T) {
	p := labPolicy(t)
	full := Facts{Roots: labWorld().roots, Programs: map[string]Program{"cat": {Path: "/usr/bin/cat", Real: "/usr/bin/cat"}, "sh": {}}, Paths: map[string]Path{
		work: {Abs: work, Real: work}, "a.txt": {Abs: work + "/a.txt", Real: work + "/a.txt"},
	}, Globs: map[string][]string{"a*": {"a.txt"}}}
	argv, script := argvAction("cat", "a.txt"), scriptAction("cat a*")
	for _, a := range []Action{argv, script} {
		if d := p.Decide(a, full); d.Verdict != Allow {
			t.Fatalf("%+v", d)
		}
	}
	for name, without := range map[string]func(*Facts){
		"programs": func(f *Facts) { f.Programs = nil }, "paths": func(f *Facts) { f.Paths = nil }, "roots": func(f *Facts) { f.Roots = nil },
	} {
		f := full
		without(&f)
		if d := p.Decide(argv, f); d.Verdict != Deny {
			t.Errorf("without %s: %+v", name, d)
		}
	}
	full.Globs = nil
	if d := p.Decide(script, full); d.Verdict != Deny || d.Rule != "builtin.lookup" {
		t.Errorf("without patterns: %+v", d)
	}
}
