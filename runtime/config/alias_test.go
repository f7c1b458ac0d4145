package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const aliased = `
[model]
name = "fast"
[model.aliases]
fast = "qwen3:1.7b"
big = "qwen3:4b"
[[agent]]
id = "night"
model = "big"
think = "high"
[[agent]]
id = "day"
`

func TestAliases_StandForTheirModelEverywhere(t *testing.T) {
	c, err := loadText(aliased)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"above": c.Model.Name}
	for _, id := range []string{"night", "day"} {
		own, _, _ := c.Of(id)
		got[id], got[id+" thinks"] = own.Model.Name, own.Model.Think
	}
	want := map[string]string{"above": "qwen3:1.7b", "night": "qwen3:4b", "night thinks": "high", "day": "qwen3:1.7b", "day thinks": "off"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, w := range []world{
		{env: map[string]string{"HARDSHELL_MODEL": "big"}}, {flags: map[string]string{"model": "big"}, env: map[string]string{}},
	} {
		w.files, w.path, w.env["HOME"] = map[string]string{"/c.toml": aliased}, "/c.toml", "/home/eng"
		if c, err := Load(w.sources()); err != nil || c.Model.Name != "qwen3:4b" {
			t.Errorf("%v %v: %s, %v", w.env, w.flags, c.Model.Name, err)
		}
	}
}

func TestAliases_WhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"[model.aliases]\n\"a b\" = \"x\"":              `"a b" is no name`,
		"[model.aliases]\ndefault = \"x\"":              "default already means",
		"[model.aliases]\nfast = \"\"":                  "fast stands for no model",
		"[model.aliases]\na = \"b\"\nb = \"c\"":         "a stands for the alias b",
		"[model.aliases]\nfast = 3":                     "fast is a number",
		"[model]\naliases = [\"fast\"]":                 "wants a table of names, not a list",
		"[model]\naliases = \"fast\"":                   "wants a table of names, not the string",
		"[model.name]\nx = \"y\"":                       "wants a string, not a table",
		"[model]\nthink = \"ultra\"":                    "none of off, low, medium, high",
		"[[agent]]\nid = \"a\"\nreasoning = \"loud\"\n": "none of off, on, stream",
	} {
		if _, err := loadText(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
