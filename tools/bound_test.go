package tools_test

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hardshell/policy"
	"hardshell/policy/wording"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// askingDoor asks for everything, and looks at what a command names.
func askingDoor(t *testing.T) (*toolstest.Door, *toolstest.Approver) {
	d, a := newDoor(t), &toolstest.Approver{Answer: tools.AnswerSession}
	d.Policy = toolstest.Always(policy.Ask)
	d.Policy.Subjects = policy.Subjects{Programs: []string{"cat"}, Paths: []string{"plot.py", "log.txt"}}
	d.With(func(cfg *tools.Config) { cfg.Approver = a })
	return d, a
}

// TestAnswerBindsWhatTheFilesHold: a script that was changed after a person allowed
// it for the session is asked for anew.
func TestAnswerBindsWhatTheFilesHold(t *testing.T) {
	d, a := askingDoor(t)
	const run, other = `{"argv":["cat","plot.py"]}`, `{"argv":["cat","plot.py","x"]}`
	d.File(t, "plot.py", "print(1)")
	d.Do(t, "exec", run)
	d.Do(t, "exec", run)
	d.Do(t, "exec", other)
	d.File(t, "plot.py", "print(2)")
	d.Do(t, "exec", run)
	d.File(t, "log.txt", "made meanwhile")
	d.Do(t, "exec", run)
	var same []bool
	for _, q := range a.Asked {
		same = append(same, q.Digest() == a.Asked[0].Digest())
	}
	toolstest.Diff(t, "same as the first", same, []bool{true, true, false, false, false})
}

// TestNoAnswerBindsAPipe: what comes out of it comes after the answer.
func TestNoAnswerBindsAPipe(t *testing.T) {
	d, a := askingDoor(t)
	if err := unix.Mkfifo(d.Dir+"/plot.py", 0o644); err != nil {
		t.Fatal(err)
	}
	got := d.Do(t, "exec", `{"argv":["cat","plot.py"]}`)
	toolstest.Diff(t, "decision", []any{got.Outcome, got.Decision.Rule, len(a.Asked), len(d.Launcher.Ran)}, []any{tools.Refused, "approval.pipe", 0, 0})
}

// TestAnswerToWhatChanged: what a person looked at is what runs, or nothing.
func TestAnswerToWhatChanged(t *testing.T) {
	d, a := askingDoor(t)
	d.File(t, "plot.py", "print(1)")
	a.Meanwhile = func() { d.File(t, "plot.py", "print(2)") }
	got := d.Do(t, "exec", `{"argv":["cat","plot.py"]}`)
	if got.Outcome != tools.Refused || got.Decision.Rule != "approval.changed" || !strings.Contains(got.Text, "changed before the answer came") {
		t.Errorf("%+v", got)
	}
	toolstest.Diff(t, "ran", len(d.Launcher.Ran), 0)
}

// TestNobodyApprovesWhatIsNotShown: what is too long for a screen is no question.
func TestNobodyApprovesWhatIsNotShown(t *testing.T) {
	d, a := askingDoor(t)
	long := strings.Repeat("x", tools.MaxSubject)
	for _, args := range []string{`{"argv":["cat","` + long + `"]}`, `{"script":"cat ` + long + `"}`, `{"argv":["cat"],"stdin":"` + long + `"}`} {
		got := d.Do(t, "exec", args)
		if got.Outcome != tools.Refused || got.Decision.Rule != "approval.too-long" {
			t.Errorf("%.40s: %.200s", args, got.Text)
		}
	}
	toolstest.Diff(t, "asked", len(a.Asked), 0)
	d.Do(t, "exec", `{"argv":["cat","`+long[:tools.MaxSubject-200]+`"]}`)
	toolstest.Diff(t, "asked", len(a.Asked), 1)
}

// TestSubjectHidesNothing: what a reader can't see is written as an escape.
func TestSubjectHidesNothing(t *testing.T) {
	for in, want := range map[string]string{
		"a b": `"a b"`, "ü": `"ü"`, "x\u3164": `"x\u3164"`, "x\u202ey": `"x\u202ey"`, "x\u200b": `"x\u200b"`, "x\x1b[2J": `"x\x1b[2J"`, "ü\u3164": `"\u00fc\u3164"`,
		// letters that pass for others, blanks that pass for a blank or for nothing
		"nоtes": `"nоtes" (written "n\u043etes")`, "a\u00a0b": `"a\u00a0b"`, "a\u2800b": "\"a\u2800b\" (written \"a\\u2800b\")", "e\u0301": "\"e\u0301\" (written \"e\\u0301\")",
		"a\ufe0fb": "\"a\ufe0fb\" (written \"a\\ufe0fb\")", "a／b": `"a／b" (written "a\uff0fb")`, "Prüfstand 5°": `"Prüfstand 5°"`, "a\xffb": `"a\xffb"`,
	} {
		toolstest.Diff(t, in, wording.Word(in), want)
		toolstest.Diff(t, in, policy.Action{Kind: &policy.Exec{Script: in, Cwd: "/w"}}.Subject(), "script "+want+" (in /w)")
	}
}
