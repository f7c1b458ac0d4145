package app

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/config"
)

// knobInput is a prompt that every knob can change.
func knobInput(p config.Prompt) assembly.Input {
	in := assembly.Input{
		Mode: assembly.Full, Limits: budgetOf(p), Knobs: knobsOf(p), Model: assembly.ModelFacts{Window: 8192},
		Files:  []assembly.File{{Name: "AGENTS.md", Data: []byte(strings.Repeat("Ask before the laser is on.\n", 40))}},
		Skills: []assembly.Skill{{Name: "probe", Description: strings.Repeat("calibrate ", 20), Location: "skills/probe/SKILL.md"}},
		Turn:   assembly.Turn{Run: assembly.Chat, Time: time.Date(2026, 11, 30, 14, 5, 0, 0, time.UTC)},
	}
	in.Limits.Window = in.Model.Window
	for _, name := range []string{"read", "memory_search", "sessions_spawn"} {
		in.Tools = append(in.Tools, assembly.Tool{Name: name, Schema: []byte(`{"type":"object"}`)})
	}
	return in
}

// TestKnobsChangeThePrompt holds that every prompt key of the config, set for all
// or for one agent, changes the text that is rendered, and that its default is the
// one that is written down.
func TestKnobsChangeThePrompt(t *testing.T) {
	const cut = "bootstrap_max_chars = 400\n"
	for _, k := range []struct {
		keys       string
		want, lack string // in system text and turn context together
	}{
		{cut, "Some are shortened", "Not whole in this prompt"},
		{cut + `truncation_notice = "once"`, "Some are shortened", "Not whole in this prompt"},
		{cut + `truncation_notice = "off"`, "AGENTS.md is shortened here", "Some are shortened"},
		{cut + `truncation_notice = "always"`, "Not whole in this prompt: AGENTS.md", ""},
		{"", "Time: Mon 2026-11-30 14:05", "is shortened here"},
		{`time_format = "12h"`, "Time: Mon 2026-11-30 2:05 PM", ""},
		{"", "Cite path and line.", "## Delegation"},
		{`memory_citations = "auto"`, "Cite path and line.", ""},
		{`memory_citations = "on"`, "Cite path and line.", ""},
		{`memory_citations = "off"`, "## Memory", "Cite path"},
		{`delegation = "prefer"`, "## Delegation", ""},
		{`delegation = "suggest"`, "## Tools", "## Delegation"},
		{"", "calibrate calibrate", "## Answers"},
		{"reply_tags = true", "## Answers", ""},
		{"max_skills_prompt_chars = 200", "probe (skills/probe/SKILL.md)", "calibrate"},
		{"bootstrap_max_chars = 200\nbootstrap_total_max_chars = 200", "[LEFT OUT] AGENTS.md", "laser"},
		{"bootstrap_window_share = 0.02", "AGENTS.md is shortened here", ""},
	} {
		for _, in := range []string{"prompt", "agent"} {
			text := "[prompt]\n" + k.keys + "\n"
			if in == "agent" {
				text = "[[agent]]\nid = \"night\"\n" + k.keys + "\n"
			}
			cfg, err := config.Load(config.Sources{
				Path: "/c.toml", Getenv: func(k string) string { return map[string]string{"HOME": "/home/eng"}[k] }, Dir: "/",
				ReadFile: func(p string) ([]byte, error) {
					if p != "/c.toml" {
						return nil, fs.ErrNotExist
					}
					return []byte(text), nil
				},
			})
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			id := map[string]string{"prompt": "main", "agent": "night"}[in]
			own, _, ok := cfg.Of(id)
			if !ok {
				t.Fatalf("no agent %s", id)
			}
			p, err := assembly.Render(knobInput(own.Prompt))
			if err != nil {
				t.Fatal(err)
			}
			got := p.System + "\n" + p.TurnContext
			if !strings.Contains(got, k.want) {
				t.Errorf("%s of %s: lacks %q", k.keys, in, k.want)
			}
			if k.lack != "" && strings.Contains(got, k.lack) {
				t.Errorf("%s of %s: holds %q", k.keys, in, k.lack)
			}
		}
	}
}

// TestOverlaysOfTheConfig holds that the config takes exactly the families that the
// prompt has overlays for.
func TestOverlaysOfTheConfig(t *testing.T) {
	i := slices.IndexFunc(config.Fields(), func(f config.Field) bool { return f.Key == "agent.overlay" })
	if i < 0 || !slices.Equal(config.Fields()[i].Enum, assembly.Families()) {
		t.Errorf("agent.overlay takes %v, the families are %v", config.Fields()[i].Enum, assembly.Families())
	}
}
