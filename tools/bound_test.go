package tools

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hardshell/policy"
	"hardshell/policy/wording"
)

// answering answers, after something happened.
type answering struct {
	fakeApprover
	first func()
}

func (a *answering) Ask(ctx context.Context, q Question) (Answer, error) {
	if a.first != nil {
		a.first()
	}
	return a.fakeApprover.Ask(ctx, q)
}

// askingDoor asks for everything, and looks at what a command names.
func askingDoor(t *testing.T) (*door, *answering) {
	d, a := newDoor(t), &answering{fakeApprover: fakeApprover{answer: AnswerSession}}
	d.policy = always(policy.Ask)
	d.policy.subjects = policy.Subjects{Programs: []string{"cat"}, Paths: []string{"plot.py", "log.txt"}}
	d.cfg.Approver = a
	return d, a
}

// TestAnswerBindsWhatTheFilesHold: a script that was changed after a person allowed
// it for the session is asked for anew.
func TestAnswerBindsWhatTheFilesHold(t *testing.T) {
	d, a := askingDoor(t)
	const run, other = `{"argv":["cat","plot.py"]}`, `{"argv":["cat","plot.py","x"]}`
	d.file(t, "plot.py", "print(1)")
	d.call(t, "exec", run)
	d.call(t, "exec", run)
	d.call(t, "exec", other)
	d.file(t, "plot.py", "print(2)")
	d.call(t, "exec", run)
	d.file(t, "log.txt", "made meanwhile")
	d.call(t, "exec", run)
	var same []bool
	for _, q := range a.asked {
		same = append(same, q.Digest() == a.asked[0].Digest())
	}
	diff(t, "same as the first", same, []bool{true, true, false, false, false})
}

// TestNoAnswerBindsAPipe: what comes out of it comes after the answer.
func TestNoAnswerBindsAPipe(t *testing.T) {
	d, a := askingDoor(t)
	if err := unix.Mkfifo(d.dir+"/plot.py", 0o644); err != nil {
		t.Fatal(err)
	}
	got := d.call(t, "exec", `{"argv":["cat","plot.py"]}`)
	diff(t, "decision", []any{got.Outcome, got.Decision.Rule, len(a.asked), len(d.launcher.ran)}, []any{Refused, "approval.pipe", 0, 0})
}

// TestAnswerToWhatChanged: what a person looked at is what runs, or nothing.
func TestAnswerToWhatChanged(t *testing.T) {
	d, a := askingDoor(t)
	d.file(t, "plot.py", "print(1)")
	a.first = func() { d.file(t, "plot.py", "print(2)") }
	got := d.call(t, "exec", `{"argv":["cat","plot.py"]}`)
	if got.Outcome != Refused || got.Decision.Rule != "approval.changed" || !strings.Contains(got.Text, "changed before the answer came") {
		t.Errorf("%+v", got)
	}
	diff(t, "ran", len(d.launcher.ran), 0)
}

// TestNobodyApprovesWhatIsNotShown: what is too long for a screen is no question.
func TestNobodyApprovesWhatIsNotShown(t *testing.T) {
	d, a := askingDoor(t)
	long := strings.Repeat("x", maxSubject)
	for _, args := range []string{`{"argv":["cat","` + long + `"]}`, `{"script":"cat ` + long + `"}`, `{"argv":["cat"],"stdin":"` + long + `"}`} {
		got := d.call(t, "exec", args)
		if got.Outcome != Refused || got.Decision.Rule != "approval.too-long" {
			t.Errorf("%.40s: %.200s", args, got.Text)
		}
	}
	diff(t, "asked", len(a.asked), 0)
	d.call(t, "exec", `{"argv":["cat","`+long[:maxSubject-200]+`"]}`)
	diff(t, "asked", len(a.asked), 1)
}

// TestSubjectHidesNothing: what a reader can't see is written as an escape.
func TestSubjectHidesNothing(t *testing.T) {
	for in, want := range map[string]string{
		"a b": `"a b"`, "ü": `"ü"`, "x\u3164": `"x\u3164"`, "x\u202ey": `"x\u202ey"`, "x\u200b": `"x\u200b"`, "x\x1b[2J": `"x\x1b[2J"`, "ü\u3164": `"\u00fc\u3164"`,
		// letters that pass for others, blanks that pass for a blank or for nothing
		"nоtes": `"nоtes" (written "n\u043etes")`, "a\u00a0b": `"a\u00a0b"`, "a\u2800b": "\"a\u2800b\" (written \"a\\u2800b\")", "e\u0301": "\"e\u0301\" (written \"e\\u0301\")",
		"a\ufe0fb": "\"a\ufe0fb\" (written \"a\\ufe0fb\")", "a／b": `"a／b" (written "a\uff0fb")`, "Prüfstand 5°": `"Prüfstand 5°"`, "a\xffb": `"a\xffb"`,
	} {
		diff(t, in, wording.Word(in), want)
		diff(t, in, policy.Action{Kind: &policy.Exec{Script: in, Cwd: "/w"}}.Subject(), "script "+want+" (in /w)")
	}
}
