package tools

import (
	"errors"
	"testing"

	"hardshell/policy"
)

// The act of a command is on record before it ends in the background, so its end and
// what it started by itself are a record of their own.
func TestEndInTheBackgroundIsOnRecord(t *testing.T) {
	kept := &fakeAuditor{}
	y := newYard(t, func(c *JobsConfig) { c.Auditor = kept })
	a := y.begin(t, "p1")
	y.over(t, a, Exit{Code: 2, Layers: []string{"env"}, Starts: []string{"/usr/bin/date s3cr3t-zz"}, Refused: []string{"refused: /usr/bin/at (no)"}})
	want := []policy.Record{{
		Time: noon, Kind: "note", Agent: "main", Session: "main", Tool: "exec", Subject: "p1 ended: cat", Digest: y.ledger.record(t, "p1").Digest,
		Reason: "exit 2; did not start: refused: /usr/bin/at (no)", Outcome: "failed", Layers: []string{"env"},
		Starts: []string{"/usr/bin/date [secret LAB_KEY]", "refused: /usr/bin/at (no)"},
	}}
	diff(t, "records", kept.records, want)
	kept.fail = map[int]error{2: errors.New("the disk is full")}
	y.over(t, y.begin(t, "p2"), Exit{})
	diff(t, "fault", y.ledger.record(t, "p2").Fault, "its end can't be put on record: the disk is full")
}
