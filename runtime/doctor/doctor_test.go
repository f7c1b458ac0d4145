package doctor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLook holds each fact to the finding that it makes, and to nothing else.
func TestLook(t *testing.T) {
	t1 := &Trouble{What: "it is wrong", Action: "mend it"}
	for name, c := range map[string]struct {
		facts Facts
		want  string // id, level, fixable
	}{
		"nothing":              {Facts{}, ""},
		"config":               {Facts{Config: t1}, "config.wrong error false"},
		"policy":               {Facts{Policy: t1}, "policy.wrong error false"},
		"workspace":            {Facts{Workspace: t1}, "workspace.missing error false"},
		"a warning":            {Facts{Warnings: []Trouble{{What: "odd"}}}, "config.warning warning false"},
		"no policy":            {Facts{NoPolicy: "/p.toml"}, "policy.none warning true"},
		"a waiver":             {Facts{Waivers: []Named{{"builtin.dash", "old names"}}}, "policy.waiver.builtin.dash note false"},
		"a hook":               {Facts{Hooks: []Named{{"bench", "no rule"}}}, "hook.refused error false"},
		"no sandbox":           {Facts{Sandbox: Sandbox{Missing: "no user namespaces"}}, "sandbox.missing error false"},
		"a weaker sandbox":     {Facts{Sandbox: Sandbox{Missing: "no user namespaces", Weaker: true}}, "sandbox.weaker warning false"},
		"a limit that is none": {Facts{Sandbox: Sandbox{Unheld: []string{"x"}}}, "sandbox.limit warning false"},
		"audit":                {Facts{Audit: Audit{Problems: 2, First: "a gap"}}, "audit.broken error false"},
		"an audit not seen":    {Facts{Audit: Audit{Unread: t1}}, "audit.unread error false"},
		"a locked workspace":   {Facts{ReadOnly: t1}, "workspace.read_only warning false"},
		"a locked state":       {Facts{State: State{Dir: "/s", There: true, Mode: 0o700, Free: lowSpace, Locked: t1}}, "state.read_only error false"},
		"server":               {Facts{Server: Server{Down: t1}}, "model.server error false"},
		"no model":             {Facts{Server: Server{Unfit: &Trouble{What: "none fits"}}}, "model.missing error true"},
		"another model":        {Facts{Server: Server{Missing: true, Model: "qwen3:4b"}}, "model.missing error true"},
		"template":             {Facts{Server: Server{Model: "m", Template: true, Lost: 5, Step: "a tool result"}}, "model.template warning true"},
		"a safe template":      {Facts{Server: Server{Model: "m", Template: true}}, ""},
		"no state yet":         {Facts{State: State{Dir: "/s"}}, ""},
		"state in order":       {Facts{State: State{Dir: "/s", There: true, Mode: 0o700, Free: lowSpace}}, ""},
		"state that is open":   {Facts{State: State{Dir: "/s", There: true, Mode: 0o750, Free: lowSpace}}, "state.open warning false"},
		"little space":         {Facts{State: State{Dir: "/s", There: true, Mode: 0o700, Free: lowSpace - 1}}, "state.space warning false"},
		"set aside":            {Facts{State: State{Dir: "/s", There: true, Mode: 0o700, Free: lowSpace, Aside: []string{"x"}}}, "state.aside warning false"},
		"a file that fits":     {Facts{Files: []File{{Name: "A.md", Size: 10, Limit: 10}}}, ""},
		"a long file":          {Facts{Files: []File{{Name: "A.md", Size: 11, Limit: 10}}}, "workspace.cut warning false"},
		"a file that is none":  {Facts{Files: []File{{Name: "A.md", Problem: "binary"}}}, "workspace.unreadable warning false"},
		"a skill":              {Facts{Skills: []Named{{"s", "no name"}}}, "skill.broken warning false"},
		"what the agent tells": {Facts{Notices: []Trouble{{What: "restored"}}}, "agent.notice warning false"},
		"gravest first":        {Facts{Waivers: []Named{{"w", "x"}}, NoPolicy: "p", Audit: Audit{Problems: 1}}, "audit.broken error false\npolicy.none warning true\npolicy.waiver.w note false"},
	} {
		var got []string
		for _, f := range Look(c.facts) {
			got = append(got, fmt.Sprint(f.ID, " ", f.Level, " ", f.Fixable))
			if f.What == "" || f.Why == "" || f.Action == "" {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, "\n")); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if Look(Facts{}) == nil {
		t.Error("no findings are an empty list in JSON")
	}
}
