package tools_test

import (
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// TestAnswerBindsWhatIsWritten: a yes to one text is no yes to another, and the same
// text to the same place is the same action.
func TestAnswerBindsWhatIsWritten(t *testing.T) {
	d := newDoor(t)
	d.Policy = toolstest.Always(policy.Ask)
	d.Approver.Answer = tools.AnswerOnce
	for _, content := range []string{"one", "two", "one"} {
		d.Do(t, "write", `{"path":"a.txt","content":"`+content+`"}`)
	}
	if len(d.Approver.Asked) != 3 {
		t.Fatalf("asked %d times", len(d.Approver.Asked))
	}
	a, b, c := d.Approver.Asked[0].Digest(), d.Approver.Asked[1].Digest(), d.Approver.Asked[2].Digest()
	if a == b || a != c {
		t.Errorf("digests %.8s, %.8s, %.8s", a, b, c)
	}
}
