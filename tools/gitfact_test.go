package tools

import (
	"testing"

	"hardshell/policy"
)

// TestGitRunsIsAFact: it is looked up for git, however it is called, and for nothing
// else.
func TestGitRunsIsAFact(t *testing.T) {
	for word, want := range map[string][]string{"git": {".git/config: core.pager = x"}, "/usr/bin/git": {".git/config: core.pager = x"}, "cat": nil} {
		d := newDoor(t)
		d.file(t, ".git/HEAD", "")
		d.file(t, ".git/config", "[core]\npager = x\n")
		var got []string
		d.policy.subjects = policy.Subjects{Programs: []string{word}}
		d.policy.decide = func(_ policy.Action, f policy.Facts) policy.Decision {
			got = f.GitRuns
			return policy.Decision{Verdict: policy.Allow}
		}
		d.call(t, "exec", `{"argv":["true"]}`)
		diff(t, word, got, want)
	}
}
