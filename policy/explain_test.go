package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// explain explains an action in a world, as decide decides it.
func (w *world) explain(t testing.TB, p *Policy, a Action) (Explanation, Decision) {
	t.Helper()
	f := w.complete(t, p, a)
	return p.Explain(a, f), p.Decide(a, f)
}

// Explaining changes nothing: the decision is the same in every case of the
// corpora, one word decides it, and what would have to change is said exactly when
// something would.
func TestExplainAgreesWithDecide(t *testing.T) {
	p := labPolicy(t)
	for _, f := range append(readForms(t, "testdata/bypass.tsv"), readForms(t, "testdata/ordinary.tsv")...) {
		for _, attended := range []bool{false, true} {
			w := labWorld()
			w.attended, w.confined = attended, attended
			x, d := w.explain(t, p, f.action)
			if diff := cmp.Diff(d, x.Decision); diff != "" {
				t.Errorf("%s: %s", f.name, diff)
			}
			var decides []Said
			for _, part := range x.Parts {
				for _, s := range part.Said {
					if s.Decides {
						decides = append(decides, s)
					}
				}
			}
			if len(decides) != 1 || decides[0].Rule != d.Rule {
				t.Errorf("%.200s: decided by %+v, want %s", f.name, decides, d.Rule)
			}
			if (len(x.Change) == 0) != (d.Verdict == Allow) {
				t.Errorf("%.200s is %s, and it would be different if %q", f.name, d.Verdict, x.Change)
			}
		}
	}
}

// A script's parts stand in the order in which they were judged, whatever is
// rehearsed in loops, each once.
func TestExplainTellsEachPart(t *testing.T) {
	p := labPolicy(t)
	w := labWorld()
	w.attended = true
	x, _ := w.explain(t, p, scriptAction(`wc -l log.txt | sort; for f in a.txt in.txt; do timeout 5 cat "$f" > res.txt; done; curl -s x`))
	var got []string
	for _, part := range x.Parts {
		line := strings.Repeat("  ", part.Depth) + part.Kind + " " + part.Text + " " + part.Access
		for _, s := range part.Said {
			line += " " + s.Verdict.String() + ":" + s.Rule
			if s.Decides {
				line += "!"
			}
		}
		got = append(got, line)
	}
	want := []string{
		"path /home/lab/work list allow:file.workspace",
		"command wc -l log.txt  allow:exec.wc",
		"  path log.txt read allow:file.workspace",
		"command sort  allow:exec.sort",
		"command timeout 5 cat a.txt  allow:builtin.wrapper",
		"  command cat a.txt  allow:exec.cat",
		"    path a.txt read allow:file.workspace",
		"command timeout 5 cat in.txt  allow:builtin.wrapper",
		"  command cat in.txt  allow:exec.cat",
		"    path in.txt read allow:file.workspace",
		"command curl -s x  deny:builtin.net!",
	}
	if diff := cmp.Diff(want, slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "path res.txt") })); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"builtin.net: work with the files of the workspace; the person can fetch what is elsewhere; or the operator waives builtin.net in the policy file, with a reason"}, x.Change); diff != "" {
		t.Error(diff)
	}
}

// What nearly matched says what is missing, and what would help follows from who
// can help.
func TestExplainSaysWhatIsMissing(t *testing.T) {
	p := labPolicy(t)
	for _, tt := range []struct {
		a      Action
		alone  bool
		near   string // rule: misfit
		change string
	}{
		{a: argvAction("head", "-f", "log.txt"), near: `exec.head: the flag "-f" of "-f" is not on the rule's list`, change: "builtin.no-match: the policy allows"},
		{a: argvAction("cat", "/etc/passwd"), near: "exec.cat: a path that it needs is refused", change: "the operator opens the path with a [[file]] rule"},
		{a: fileAction(Read, "/usr/bin/ls"), near: "file.programs: it opens the path for list only", change: "stay inside the workspace"},
		{a: fileAction(Read, "/var/lib/hardshell/hardshell.db"), change: "no waiver is possible"},
		{a: argvAction("python3", "plot.py"), change: "exec.python3: a person says yes"},
		{a: argvAction("python3", "plot.py"), alone: true, change: "exec.python3: a person is present and says yes"},
		{a: scriptAction("eval x"), change: "builtin.shell: write the commands themselves, plainly"},
		{a: argvAction("frobnicate"), change: "unlisted: a person says yes"},
	} {
		w := labWorld()
		w.attended = !tt.alone
		x, _ := w.explain(t, p, tt.a)
		var near []string
		for _, part := range x.Parts {
			for _, n := range part.Near {
				near = append(near, n.Rule+": "+n.Misfit)
			}
		}
		if tt.near != "" && !slices.Contains(near, tt.near) {
			t.Errorf("%+v: near are %q, want %q", tt.a, near, tt.near)
		}
		if !strings.Contains(strings.Join(x.Change, "\n"), tt.change) {
			t.Errorf("%+v: it would be different if %q, want %q", tt.a, x.Change, tt.change)
		}
	}
}

// Under a profile and a tool list the one who can help is named, too.
func TestExplainNamesProfileAndTools(t *testing.T) {
	p, err := labPolicy(t).Profile("read-only")
	if err != nil {
		t.Fatal(err)
	}
	a := fileAction(Write, "a.txt")
	a.Tool = "write"
	x, _ := labWorld().explain(t, p, a)
	if want := []string{"profile.read-only: the run has another profile"}; !cmp.Equal(want, x.Change) {
		t.Errorf("%q", x.Change)
	}
}

// Explain never fails and never says anything else than Decide, whatever the words.
func TestExplainOfAnyScript(t *testing.T) {
	p := labPolicy(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(soup), 1, 12).Draw(rt, "words"), " ")
		w := labWorld()
		w.attended = true
		x, d := w.explain(t, p, scriptAction(text))
		if diff := cmp.Diff(d, x.Decision); diff != "" {
			rt.Fatalf("%q: %s", text, diff)
		}
	})
}
