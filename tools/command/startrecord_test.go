package command

import (
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// The same of a command in the background: what was decided is there although its end
// never comes.
func TestStartsInTheBackgroundAreOnRecord(t *testing.T) {
	y := newYard(t)
	y.Policy.Judge = func(a policy.Action, _ policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Rule: "exec." + a.Command().Argv[0]}
	}
	a := y.begin(t, "p1")
	if err := a.c.Start(tools.Start{Program: "/opt/x/ld", Argv: []string{"ld"}, Dir: y.Dir}); err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "starts", startLines(y.Auditor.Records), []string{"allow | exec./opt/x/ld | /opt/x/ld | started by cat"})
}

// startLines shortens the records of starts.
func startLines(rs []audit.Line) []string {
	var out []string
	for _, r := range rs {
		if r.Kind == "start" {
			out = append(out, strings.Join([]string{r.Verdict, r.Rule, r.Subject, r.Reason}, " | "))
		}
	}
	return out
}
