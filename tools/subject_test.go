package tools_test

import (
	"testing"

	"hardshell/policy"
	"hardshell/tools/toolstest"
)

func TestSubjectCantBeMisread(t *testing.T) {
	for _, c := range []struct {
		action policy.Action
		want   string
	}{
		{policy.Action{Kind: &policy.Exec{Argv: []string{"ls", "-la", "a b", ""}, Cwd: "/w"}}, `ls -la "a b" "" (in /w)`},
		{policy.Action{Kind: &policy.Exec{Argv: []string{"echo", "x (in /safe)", "\x1b[2K\u202e"}, Cwd: "/w", Stdin: "y\n", Background: true}}, `echo "x (in /safe)" "\x1b[2K\u202e" (in /w, stdin "y\n", in the background)`},
		{policy.Action{Kind: &policy.Exec{Script: "a\nb", Cwd: "/w"}}, `script "a\nb" (in /w)`},
		{policy.Action{Kind: &policy.File{Op: policy.Write, Path: "a\nb"}}, `write "a\nb"`},
		{policy.Action{Tool: "session_status", Kind: &policy.Setting{Model: "a b", Reasoning: "on"}}, `set model to "a b", set reasoning to on`},
		{policy.Action{Tool: "session_status", Kind: policy.Look{}}, "session_status"},
	} {
		toolstest.Diff(t, "subject", c.action.Subject(), c.want)
	}
}
