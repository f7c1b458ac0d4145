package config

import (
	"testing"

	"hardshell/runtime/event"

	"github.com/google/go-cmp/cmp"
)

// several is a file with three agents and hooks for some of them.
const several = `workspace = "/lab/ws"
[model]
name = "big"
[prompt]
bootstrap_max_chars = 9000
time_format = "12h"
[[agent]]
id = "night"
workspace = "night"
model = "small"
profile = "readonly"
skills = ["bring-up"]
bootstrap_window_share = 0.1
reply_tags = true
[[agent]]
id = "main"
model = "mid"
time_format = "24h"
[[agent]]
id = "twin"
delegation = "prefer"
[[hook]]
name = "bench"
on = "before_prompt_build"
command = ["/opt/bench"]
agents = ["night"]
timeout = "1s"
[[hook]]
name = "house"
on = "agent:bootstrap"
command = ["/opt/house", "x"]
[[hook]]
name = "asleep"
on = "agent:bootstrap"
command = ["/opt/asleep"]
off = true
`

// TestOf holds that each agent gets its own word where it has one, else the one
// above: never that of the agent main.
func TestOf(t *testing.T) {
	c, err := loadText(several)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"main", "night", "twin"}, c.AgentIDs()); d != "" {
		t.Error(d)
	}
	type seen struct {
		Workspace, Model string
		Prompt           Prompt
		Hooks            []string
		From             string // of the model
	}
	base := Prompt{FileChars: 9000, TotalChars: 60000, WindowShare: 0.3, SkillsChars: 6000, TimeFormat: "12h", CutNotice: "once", Citations: "auto", Delegation: "suggest"}
	night, mainly, twin := base, base, base
	night.WindowShare, night.ReplyTags = 0.1, true
	mainly.TimeFormat = "24h"
	twin.Delegation = "prefer"
	for id, w := range map[string]seen{
		"night": {"/night", "small", night, []string{"bench", "house"}, "line 10"},
		"main":  {"/lab/ws", "mid", mainly, []string{"house"}, "line 17"},
		"twin":  {"/lab/ws", "big", twin, []string{"house"}, ""},
	} {
		own, entry, ok := c.Of(id)
		var hooks []string
		for _, h := range c.HooksOf(id) {
			hooks = append(hooks, h.Name)
		}
		got := seen{own.Workspace, own.Model.Name, own.Prompt, hooks, own.From["model.name"]}
		if d := cmp.Diff(w, got); d != "" || !ok || entry.ID != id {
			t.Errorf("%s (%v, %q): %s", id, ok, entry.ID, d)
		}
	}
	if _, _, ok := c.Of("nobody"); ok {
		t.Error("an agent that is not there has a config")
	}
	if c.Hooks[0].Timeout != Duration(1e9) || c.Hooks[1].Timeout != hookTimeout || c.Hooks[1].Output != hookOutput {
		t.Errorf("limits of hooks: %+v", c.Hooks)
	}
}

// TestMainNeedsNoEntry holds that main exists without being named.
func TestMainNeedsNoEntry(t *testing.T) {
	c, err := loadText("[model]\nname = \"m\"\n")
	if err != nil {
		t.Fatal(err)
	}
	own, entry, ok := c.Of(event.MainAgent)
	if d := cmp.Diff(c, own); d != "" || !ok || entry.ID != event.MainAgent || c.Shared != nil {
		t.Errorf("%v %+v %s", ok, entry, d)
	}
}

// TestFlagsSpeakForMain holds that environment and flags win over the entry of the
// agent main, and for another agent over what it has no word of its own on.
func TestFlagsSpeakForMain(t *testing.T) {
	c, err := Load(world{
		files: map[string]string{"/c.toml": several}, path: "/c.toml",
		env: map[string]string{"HOME": "/home/eng", "HARDSHELL_MODEL": "env"}, flags: map[string]string{"workspace": "/f"},
	}.sources())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]string{}
	for _, id := range c.AgentIDs() {
		own, _, _ := c.Of(id)
		got[id] = [2]string{own.Workspace, own.Model.Name}
	}
	want := map[string][2]string{"main": {"/f", "env"}, "night": {"/night", "small"}, "twin": {"/f", "env"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAgentProblems(t *testing.T) {
	const hook = "[[hook]]\nname = \"h\"\non = \"agent:bootstrap\"\ncommand = [\"/x\"]\n"
	for _, tt := range []struct{ name, file, want string }{
		{"workspace in the state folder", "state = \"/lab/state\"\n[[agent]]\nid = \"a\"\nworkspace = \"/lab/state/a\"\n", `/c.toml:4:1: the workspace of agent "a", /lab/state/a, lies in the state folder /lab/state, which holds every agent's record and is hidden from all of them: name another folder
   4 | workspace = "/lab/state/a"
     | ^^^^^^^^^`},
		{"workspace in another's", "workspace = \"/lab\"\n[[agent]]\nid = \"a\"\nworkspace = \"/lab/a\"\n", `/c.toml:4:1: the workspace of agent "a", /lab/a, lies in that of agent "main", /lab, which could then change its instructions: give each a folder of its own, or both the same
   4 | workspace = "/lab/a"
     | ^^^^^^^^^`},
		{"bounds of the key above", "[[agent]]\nid = \"a\"\nbootstrap_window_share = 2\ntruncation_notice = \"never\"\noverlay = \"qwne\"\nreply_tags = \"yes\"\n", `/c.toml:3:1: bootstrap_window_share of agent "a" = 2 is out of range: write 0.01 to 0.9
   3 | bootstrap_window_share = 2
     | ^^^^^^^^^^^^^^^^^^^^^^
/c.toml:4:1: truncation_notice of agent "a" = "never" is none of off, once, always
   4 | truncation_notice = "never"
     | ^^^^^^^^^^^^^^^^^
/c.toml:5:1: overlay of agent "a" = "qwne" is none of default, functiongemma, gemma, gpt-oss, granite, llama, qwen, smollm
   5 | overlay = "qwne"
     | ^^^^^^^
/c.toml:6:1: agent.0.reply_tags on line 6 wants true or false, not the string "yes": leave the quotes out
   6 | reply_tags = "yes"
     | ^^^^^^^^^^`},
		{"a file and the total", "[[agent]]\nid = \"a\"\nbootstrap_total_max_chars = 300\n", `/c.toml:1:3: agent "a" has bootstrap_max_chars = 20000 and bootstrap_total_max_chars = 300: lower the first or raise the second
   1 | [[agent]]
     |   ^^^^^`},
		{"no skill", "[[agent]]\nid = \"a\"\nskills = [\"ok\", \"../x\"]\n", `/c.toml:3:1: skills of agent "a": entry 2, "../x", is no name of a skill: agent skills list names them
   3 | skills = ["ok", "../x"]
     | ^^^^^^`},
		{"bare hook", "[[hook]]\n", `/c.toml:1:3: [[hook]] number 1 has no name: write name = "what-it-does"
   1 | [[hook]]
     |   ^^^^
/c.toml:1:3: hook "" does not say when it runs: write on = "agent:bootstrap" or on = "before_prompt_build"
   1 | [[hook]]
     |   ^^^^
/c.toml:1:3: hook "" names no program: write command = ["/path/to/program"], with an absolute path
   1 | [[hook]]
     |   ^^^^`},
		{"hook of nobody", hook + "agents = [\"mian\"]\n", `/c.toml:5:1: hook "h" is for agent "mian", which is not there, did you mean main?
   5 | agents = ["mian"]
     | ^^^^^^`},
		{"hook out of bounds", hook + "timeout = \"0s\"\nmax_output = \"2MiB\"\n" + hook, `/c.toml:5:1: timeout of hook "h" = 0s is out of range: write 100ms to 5m
   5 | timeout = "0s"
     | ^^^^^^^
/c.toml:6:1: max_output of hook "h" = 2MiB is out of range: write 256B to 1MiB
   6 | max_output = "2MiB"
     | ^^^^^^^^^^
/c.toml:8:1: hook "h" is there twice: give each hook a name of its own
   8 | name = "h"
     | ^^^^`},
		{"hook elsewhere", "[[hook]]\nname = \"h\"\non = \"before_bed\"\ncommand = [\"x\"]\n", `/c.toml:1:3: hook "h" names no program: write command = ["/path/to/program"], with an absolute path
   1 | [[hook]]
     |   ^^^^
/c.toml:3:1: on of hook "h" = "before_bed" is none of agent:bootstrap, before_prompt_build
   3 | on = "before_bed"
     | ^^`},
		{"hook as value", "hook = 1\n", `/c.toml:1:1: hook on line 1 is a list of tables: write [[hook]], once for each hook
   1 | hook = 1
     | ^^^^`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadText(tt.file)
			if err == nil {
				t.Fatal("accepted")
			}
			if d := cmp.Diff(tt.want, err.Error()); d != "" {
				t.Error(d)
			}
		})
	}
}
