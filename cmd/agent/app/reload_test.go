package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/config"
)

// TestChangedKeys holds which settings a reload puts in force.
func TestChangedKeys(t *testing.T) {
	load := func(text string) config.Config {
		t.Helper()
		c, err := config.Load(config.Sources{
			Path: "/c.toml", Dir: "/", Getenv: func(k string) string { return map[string]string{"HOME": "/home/eng"}[k] },
			ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const hook = "[[hook]]\nname = \"h\"\non = \"agent:bootstrap\"\ncommand = [\"/x\"]\n"
	old := load("[[agent]]\nid = \"a.b\"\nprofile = \"p\"\n[[agent]]\nid = \"gone\"\nreply_tags = true\n")
	now, later := ChangedKeys(old, load("zone = \"UTC\"\n[model]\ntemperature = 0.5\nhost = \"h:1\"\n[prompt]\nreply_tags = true\n[exec]\ntimeout = \"2s\"\n"+
		"[[agent]]\nid = \"a.b\"\nmodel = \"m\"\nprofile = \"q\"\nskills = []\n"+hook))
	if d := cmp.Diff([]string{"agent.a.b.profile", "agent.a.b.skills", "hook.h.command", "hook.h.max_output", "hook.h.name", "hook.h.off", "hook.h.on", "hook.h.timeout", "model.temperature", "prompt.reply_tags"}, now); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"agent.a.b.model", "agent.gone.id", "agent.gone.reply_tags", "exec.timeout", "model.host", "zone"}, later); d != "" {
		t.Error(d)
	}
}
