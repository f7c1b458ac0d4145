package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestListIsNoRead holds the contents of what may only be listed back from whatever
// could read more than its words say.
func TestListIsNoRead(t *testing.T) {
	log := "/var/log/auth.log"
	w := labWorld()
	w.files[log], w.files["/var/log/kern.log"] = "file", "file"
	w.attended, w.confined = true, true
	tests := []struct {
		script string
		want   *Grants
	}{
		{"ls -l " + log, &Grants{List: []string{log}}},
		{"ls -l " + log + " | head -n 1; stat " + log, &Grants{List: []string{log}}},
		{"cat /var/log/kern.log log.txt; ls -l " + log, &Grants{Read: []string{"/var/log/kern.log"}, List: []string{log}}},
		{"ls -l notes log.txt", nil},
		// each of these could be made to read the log
		{"ls -l " + log + "; make", &Grants{Free: true}},
		{"ls -l " + log + "; git status", nil},
		{"ls -l " + log + "; python3 plot.py", &Grants{Free: true}},
		{"ls -l " + log + "; mv sub old; cat log.txt", nil},
		{"git commit -m x; ls -l " + log, &Grants{Repos: true, Free: true}},
		{"cat /var/log/kern.log; ls -l " + log + "; touch x", &Grants{Read: []string{"/var/log/kern.log"}}},
	}
	for _, test := range tests {
		d := w.decide(t, labPolicy(t), scriptAction(test.script))
		if d.Verdict == Deny {
			t.Errorf("%s: %s", test.script, d.Reason)
		}
		got := d.Grants
		if got != nil {
			got.Starts = nil
			if got.empty() {
				got = nil
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.script, diff)
		}
	}
}

// TestUnreadable names what commands must not see in the workspace, however they come
// to it.
func TestUnreadable(t *testing.T) {
	p, err := Parse("p", []byte(seenPolicy+`
[[file]]
id = "keys"
root = "workspace"
path = "keys/**"
verdict = "deny"
ops = ["read"]
why = "keys"
[[file]]
id = "frozen"
root = "workspace"
path = "frozen/**"
verdict = "deny"
ops = ["write"]
why = "only to be read"
`))
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Roots: labWorld().roots}
	for path, want := range map[string]bool{
		"/.env": true, "/sub/.ssh": true, "/sub/.ssh/id_rsa": true, "/keys": true, "/keys/a/b": true, "/log.txt": false, "/frozen/x": false, "": false,
	} {
		if got := p.Unreadable(f, work+path); got != want {
			t.Errorf("%s: unreadable is %v, want %v", path, got, want)
		}
	}
	inside := Facts{Roots: map[string]string{"workspace": work, "state": work + "/st"}}
	for path, want := range map[string]bool{"/st": true, "/st/audit.key": true, "/stones": false, "": false} {
		if got := p.Unreadable(inside, work+path); got != want {
			t.Errorf("%s: the agent's own is unreadable: %v, want %v", path, got, want)
		}
	}
	waived, err := Parse("p", []byte(seenPolicy+"[[waive]]\nrule = \"builtin.secret\"\nwhy = \"no secrets here\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if waived.Unreadable(f, work+"/.env") {
		t.Error("a waived rule hides nothing")
	}
}

// TestGitThatRunsPrograms becomes a question: the settings of a repository are as
// hostile as any file.
func TestGitThatRunsPrograms(t *testing.T) {
	for _, argv := range [][]string{{"git", "status"}, {"git", "log", "-p"}, {"git", "diff"}, {"git", "show", "HEAD"}, {"git", "grep", "word"}, {"nice", "git", "status"}} {
		a := argvAction(argv...)
		w := labWorld()
		w.attended = true
		if d := w.decide(t, labPolicy(t), a); d.Verdict != Allow {
			t.Errorf("%v: %s", argv, d.Reason)
		}
		w.gitRuns = []string{".git/config: core.fsmonitor = sh x.sh"}
		if d := w.decide(t, labPolicy(t), a); d.Verdict != Ask || !strings.Contains(d.Reason, "core.fsmonitor = sh x.sh") {
			t.Errorf("%v: %+v", argv, d)
		}
		w.attended = false
		if d := w.decide(t, labPolicy(t), a); d.Verdict != Deny {
			t.Errorf("%v alone: %+v", argv, d)
		}
	}
}

// TestRulesOfTheTopFolder: / is a path like others, and a denial of it covers all.
func TestRulesOfTheTopFolder(t *testing.T) {
	for verdict, want := range map[string]Verdict{"allow": Allow, "deny": Deny} {
		p, err := Parse("p", []byte(seenPolicy+"[[exec]]\nargv = [\"df\", \"{path:list}\"]\nwhy = \"x\"\n[[file]]\npath = \"/\"\nops = [\"list\"]\nverdict = \""+verdict+"\"\nwhy = \"top\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		w := labWorld()
		w.files["/"] = "dir"
		if d := w.decide(t, p, argvAction("df", "/")); d.Verdict != want {
			t.Errorf("%s /: %+v", verdict, d)
		}
		if d := w.decide(t, p, argvAction("df", "/etc")); d.Verdict != Deny {
			t.Errorf("%s /, /etc: %+v", verdict, d)
		}
	}
}
