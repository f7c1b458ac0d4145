package policy

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// Form is one command of a corpus.
type form struct {
	rule, attended, name string
	action               Action
}

// readForms reads a corpus: the last column is a script or an argv as JSON.
func readForms(t testing.TB, file string) []form {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []form
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(line, "\t")
		text := cols[len(cols)-1]
		one := form{name: text}
		if len(cols) == 4 {
			one = form{rule: cols[0], attended: cols[1], name: cols[2]}
		}
		var argv []string
		if strings.HasPrefix(text, "[") {
			if err := json.Unmarshal([]byte(text), &argv); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			one.action = argvAction(argv...)
		} else {
			var script string
			if err := json.Unmarshal([]byte(text), &script); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			one.action = scriptAction(script)
		}
		out = append(out, one)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBypassCorpus tries every way to a forbidden effect under the shipped
// policy. None may pass, whoever is present; without a person all are denied by
// the rule that is meant to.
func TestBypassCorpus(t *testing.T) {
	p := labPolicy(t)
	forms := readForms(t, "testdata/bypass.tsv")
	if len(forms) < 500 {
		t.Fatalf("the corpus has only %d forms", len(forms))
	}
	for _, f := range forms {
		w := labWorld()
		alone := w.decide(t, p, f.action)
		w.attended = true
		attended := w.decide(t, p, f.action)
		if alone.Verdict != Deny || alone.Rule != f.rule || attended.Verdict.String() != f.attended {
			t.Errorf("%s %.200q: alone %s by %s, with a person %s; want deny by %s, and %s\n%s",
				f.name, text(f.action), alone.Verdict, alone.Rule, attended.Verdict, f.rule, f.attended, alone.Reason)
		}
		if alone.Reason == "" || len(alone.Matched) == 0 {
			t.Errorf("%s: a denial must say why and name its rules: %+v", f.name, alone)
		}
		// The whole sandbox opens what leans on it (make, names that are found) and
		// nothing else.
		w.attended, w.confined = false, true
		if d := w.decide(t, p, f.action); d.Verdict != Deny && !leansOnSandbox[f.name] {
			t.Errorf("%s %.200q: in the whole sandbox %s by %s", f.name, text(f.action), d.Verdict, d.Rule)
		}
		// The same in the shell's own words, and behind a wrapper.
		if e := f.action.Command(); e.Script != "" && len(e.Script) < 8000 {
			for _, a := range []Action{argvAction("sh", "-c", e.Script), argvAction("timeout", "5", "sh", "-c", e.Script), scriptAction("date; " + e.Script)} {
				if d := labWorld().decide(t, p, a); d.Verdict != Deny {
					t.Errorf("%s: %q is %s by %s", f.name, text(a), d.Verdict, d.Rule)
				}
			}
		} else if len(e.Argv) > 0 && len(e.Argv[0]) > 0 {
			for _, a := range []Action{argvAction(append([]string{"nice"}, e.Argv...)...), argvAction(append([]string{"env", "LANG=C"}, e.Argv...)...), argvAction(append([]string{"busybox"}, e.Argv...)...)} {
				if d := labWorld().decide(t, p, a); d.Verdict == Allow {
					t.Errorf("%s: %q is allowed by %s", f.name, text(a), d.Rule)
				}
			}
		}
	}
	t.Logf("%d forms", len(forms))
}

// leansOnSandbox names the forms whose effect the sandbox alone keeps away: policy
// lets them run in it.
var leansOnSandbox = map[string]bool{
	"make": true, "xargs read": true, "find cat of what it finds": true, "xargs --max-args before -I": true,
}

// TestOrdinaryCorpus tries ordinary lab work under the shipped policy: everything
// passes without a question.
func TestOrdinaryCorpus(t *testing.T) {
	p := labPolicy(t)
	forms := readForms(t, "testdata/ordinary.tsv")
	if len(forms) < 160 {
		t.Fatalf("the corpus has only %d commands", len(forms))
	}
	for _, f := range forms {
		w := labWorld()
		w.confined = true
		if d := w.decide(t, p, f.action); d.Verdict != Allow {
			t.Errorf("%s is %s by %s: %s", f.name, d.Verdict, d.Rule, d.Reason)
		}
		w.confined = false
		d := w.decide(t, p, f.action)
		if e := f.action.Command(); len(e.Argv) > 0 && slices.Contains([]string{"gcc", "make"}, e.Argv[0]) {
			if d.Verdict != Deny {
				t.Errorf("%s without the full sandbox is %s", f.name, d.Verdict)
			}
		} else if d.Verdict != Allow {
			t.Errorf("%s without the full sandbox is %s by %s", f.name, d.Verdict, d.Rule)
		}
	}
	t.Logf("%d commands", len(forms))
}

// text is an action as one line.
func text(a Action) string {
	if a.Command().Script != "" {
		return a.Command().Script
	}
	return strings.Join(a.Command().Argv, "␣")
}
