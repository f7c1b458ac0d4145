package command

import (
	"errors"
	"strings"
	"testing"

	"hardshell/policy/audit"
	"hardshell/tools/toolstest"
)

// A person sees every command of the agent, of all sessions, and ends one without the
// model; both the word and the end are on record, in this order.
func TestAPersonEndsACommand(t *testing.T) {
	log := &toolstest.Auditor{}
	y := newYard(t, func(c *ProcessesConfig) { c.Auditor = log })
	a := y.begin(t, "p1")
	y.begin(t, "p2")
	y.says(t, a, "one\ntwo s3cr3t-zz\nthree\n")
	known := y.keeper.Known()
	toolstest.Diff(t, "known", ids(known), "p1, p2")
	toolstest.Diff(t, "bytes so far", known[0].Bytes, int64(24))

	got, err := y.keeper.Show("p1", 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "last lines", got, Log{Process: y.ledger.record(t, "p1"), Text: "two [secret LAB_KEY]\nthree\n", Says: "lines 2-3 of 3"})
	if got, err = y.keeper.Show("p1", 1, 1); err != nil || got.Text != "one\n" {
		t.Errorf("%+v, %v", got, err)
	}

	r, err := y.keeper.End(t.Context(), "p1", "agent process kill s3cr3t-zz")
	if err != nil {
		t.Fatal(err)
	}
	const how = "stopped: a person ended it (agent process kill [secret LAB_KEY]), it and everything it started was ended"
	toolstest.Diff(t, "how", r.How, how)
	toolstest.Diff(t, "kept", y.ledger.record(t, "p1").How, how)
	toolstest.Diff(t, "running", ids(y.running("main")), "p2")
	toolstest.Diff(t, "woken", <-y.ended, "main")
	toolstest.Diff(t, "audit", log.Records, []audit.Line{
		{
			Time: toolstest.Noon, Kind: "decision", Agent: "main", Session: "main", Run: "person", Tool: "process", Subject: "kill p1: cat", Digest: r.Digest,
			Verdict: "allow", Reason: "a person's word: agent process kill [secret LAB_KEY]",
		},
		{Time: toolstest.Noon, Kind: "note", Agent: "main", Session: "main", Tool: "exec", Subject: "p1 ended: cat", Digest: r.Digest, Reason: how, Outcome: "failed"},
	})

	got, err = y.keeper.Show("p1", 3, 5)
	if err != nil || got.Text != "three\n" || got.Process.How != how {
		t.Errorf("after the end: %+v, %v", got, err)
	}
	if _, err := y.keeper.End(t.Context(), "p1", "x"); err == nil || err.Error() != "p1 is over already: "+how+"; nothing was ended" {
		t.Error(err)
	}
	for _, id := range []string{"p7", "", "last"} {
		_, err1 := y.keeper.End(t.Context(), id, "x")
		_, err2 := y.keeper.Show(id, 0, 1)
		if err1 == nil || err2 == nil || !strings.HasSuffix(err1.Error(), "of agent main runs in the background or is known to have run") {
			t.Errorf("%q: %v, %v", id, err1, err2)
		}
	}
	if len(log.Records) != 2 {
		t.Errorf("what did nothing is on record: %+v", log.Records[2:])
	}
}

// A command can be ended when nothing can be kept any more, and the person is told.
func TestAPersonEndsACommandOnAFullDisk(t *testing.T) {
	full := errors.New("no space left on device")
	y := newYard(t, func(c *ProcessesConfig) { c.Auditor = &toolstest.Auditor{Fail: map[int]error{1: full}} })
	y.begin(t, "p1")
	r, err := y.keeper.End(t.Context(), "p1", "agent process kill")
	if !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "p1 was told to end, and that can't be put on record: ") {
		t.Error(err)
	}
	toolstest.Diff(t, "how", r.How, "stopped: a person ended it (agent process kill), it and everything it started was ended")
}
