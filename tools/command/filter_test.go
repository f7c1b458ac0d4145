package command

import (
	"strings"
	"testing"

	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// What a failed program wrote is told in part. No part of a secret is left in it,
// wherever it is cut, and what it started is on record.
func TestFilterThatFailsTellsNoPartOfASecret(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{strings.Repeat("x", 295) + " s3cr3t-zz"}
	d.Launcher.Exit = tools.Exit{Code: 1, Starts: []string{"/usr/bin/date"}, Refused: []string{"refused: /usr/bin/at"}}
	res, err := d.Run(t.Context(), toolstest.Person, "hook x", &Filter{Exec: d.exec, Argv: []string{"true"}, Most: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != tools.Failed || strings.Contains(res.Text, "s3c") || !strings.HasSuffix(res.Text, "x [sec…") {
		t.Errorf("%s: %q", res.Outcome, res.Text)
	}
	act := d.Auditor.Records[len(d.Auditor.Records)-1]
	toolstest.Diff(t, "starts on record", act.Starts, []string{"/usr/bin/date", "refused: /usr/bin/at"})
}
