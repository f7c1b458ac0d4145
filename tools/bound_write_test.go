package tools

import (
	"testing"

	"hardshell/policy"
)

// TestAnswerBindsWhatIsWritten: a yes to one text is no yes to another, and the same
// text to the same place is the same action.
func TestAnswerBindsWhatIsWritten(t *testing.T) {
	d := newDoor(t)
	d.policy = always(policy.Ask)
	d.approver.answer = AnswerOnce
	for _, content := range []string{"one", "two", "one"} {
		d.call(t, "write", `{"path":"a.txt","content":"`+content+`"}`)
	}
	if len(d.approver.asked) != 3 {
		t.Fatalf("asked %d times", len(d.approver.asked))
	}
	a, b, c := d.approver.asked[0].Digest(), d.approver.asked[1].Digest(), d.approver.asked[2].Digest()
	if a == b || a != c {
		t.Errorf("digests %.8s, %.8s, %.8s", a, b, c)
	}
}
