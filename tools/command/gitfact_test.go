package command

import (
	"testing"

	"hardshell/policy"
	"hardshell/tools/toolstest"
)

// TestGitRunsIsAFact: it is looked up for git, however it is called, and for nothing
// else.
func TestGitRunsIsAFact(t *testing.T) {
	for word, want := range map[string][]string{"git": {".git/config: core.pager = x"}, "/usr/bin/git": {".git/config: core.pager = x"}, "cat": nil} {
		d := newDoor(t)
		d.File(t, ".git/HEAD", "")
		d.File(t, ".git/config", "[core]\npager = x\n")
		var got []string
		d.Policy.Subjects = policy.Subjects{Programs: []string{word}}
		d.Policy.Judge = func(_ policy.Action, f policy.Facts) policy.Decision {
			got = f.GitRuns
			return policy.Decision{Verdict: policy.Allow}
		}
		d.Do(t, "exec", `{"argv":["true"]}`)
		toolstest.Diff(t, word, got, want)
	}
}
