package tools

import (
	"strings"
	"testing"
)

// What a failed program wrote is told in part. No part of a secret is left in it,
// wherever it is cut, and what it started is on record.
func TestFilterThatFailsTellsNoPartOfASecret(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{strings.Repeat("x", 295) + " s3cr3t-zz"}
	d.launcher.exit = Exit{Code: 1, Starts: []string{"/usr/bin/date"}, Refused: []string{"refused: /usr/bin/at"}}
	exec := d.find("exec").(*Exec)
	res, err := d.Run(t.Context(), person, "hook x", &Filter{Exec: exec, Argv: []string{"true"}, Most: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != Failed || strings.Contains(res.Text, "s3c") || !strings.HasSuffix(res.Text, "x [sec…") {
		t.Errorf("%s: %q", res.Outcome, res.Text)
	}
	act := d.auditor.records[len(d.auditor.records)-1]
	diff(t, "starts on record", act.Starts, []string{"/usr/bin/date", "refused: /usr/bin/at"})
}
