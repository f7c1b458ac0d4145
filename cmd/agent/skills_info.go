package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
	"hardshell/runtime/skills"
)

func skillsInfoCommand() subcommand {
	var of address
	return subcommand{
		name: "skills info", args: "NAME", short: "one skill: what it needs, its hash, its text",
		long: `
Shows what a skill's front matter says, the hash of its file and its whole text. Of
several skills of one name the one in force is shown, else the first of the list.

  agent skills info board-bringup
  agent skills info --json log-summary
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(_ context.Context, inv *invocation) error {
			if len(inv.args) != 1 || inv.args[0] == "" {
				return usageError("agent skills list shows the names", "skills info wants one NAME")
			}
			all, err := skillsHere(inv, of.agent)
			if err != nil {
				return err
			}
			s, ok := skillNamed(all, inv.args[0])
			if !ok {
				return noSkill(inv.args[0], all, false)
			}
			showSkill(inv, s)
			return nil
		},
	}
}

// skillNamed is the skill in force of a name, else the first of that name.
func skillNamed(all []skills.Skill, name string) (skills.Skill, bool) {
	if s, ok := skills.Find(all, name); ok {
		return s, true
	}
	for _, s := range all {
		if strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return skills.Skill{}, false
}

// noSkill says that a skill can't be used, and which can; typed ones are those
// that /skill takes.
func noSkill(name string, all []skills.Skill, typed bool) error {
	var names []string
	for _, s := range skills.Usable(all) {
		if s.Invocable || !typed {
			names = append(names, s.Name)
		}
	}
	hint := "none can be used here: agent skills list says why"
	if len(names) > 0 {
		hint = "these can be used: " + strings.Join(names, ", ")
	}
	if name == "" {
		return usageError(hint, "/skill wants the NAME of a skill")
	}
	if s, there := skillNamed(all, name); there {
		return event.Errorf("skill_off", hint, "the skill %s is off: %s", s.Name, s.Off)
	}
	return event.Errorf("no_skill", hint, "there is no skill %q", name)
}

// showSkill prints one skill with its text.
func showSkill(inv *invocation, s skills.Skill) {
	if inv.json {
		term.JSON(inv.stdout, struct {
			skills.Skill
			Text string `json:"text"`
		}{s, s.Body})
		return
	}
	rows := [][]string{
		{"name", s.Name}, {"description", s.Description}, {"root", s.Root}, {"location", s.Location}, {"state", skillState(s)},
	}
	for _, need := range []struct {
		kind  string
		names []string
	}{
		{"os", s.Needs.OS},
		{"board", s.Needs.Board},
		{"bins", s.Needs.Bins},
		{"env", s.Needs.Env},
		{"bus", s.Needs.Bus},
		{"pin", s.Needs.Pin},
		{"config", s.Needs.Config},
	} {
		if len(need.names) > 0 {
			rows = append(rows, []string{"needs " + need.kind, strings.Join(need.names, ", ")})
		}
	}
	if len(s.Tools) > 0 {
		rows = append(rows, []string{"tools", strings.Join(s.Tools, ", ")})
	}
	if s.Hash != "" {
		rows = append(rows, []string{"sha256", s.Hash})
	}
	term.Table(inv.stdout, rows)
	if s.Body != "" {
		fmt.Fprintf(inv.stdout, "\n%s\n", term.CleanBlock(s.Body))
	}
}
