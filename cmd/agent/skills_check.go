package main

import (
	"context"
	"flag"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/skills"
)

func skillsCheckCommand() subcommand {
	var of address
	return subcommand{
		name: "skills check", short: "look for skills that are broken",
		long: `
Says which skills are on, which are off because something that they need is not
here, and which are off because their SKILL.md can't be read as a skill. Exit code
1 when one is broken in that way, 0 else.

  agent skills check
  agent skills check --json
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("skills check"); err != nil {
				return err
			}
			all, err := skillsHere(inv, of.agent)
			if err != nil {
				return err
			}
			return checkSkills(inv, all)
		},
	}
}

// checkSkills tells of all skills that are off; the error is for broken ones.
func checkSkills(inv *invocation, all []skills.Skill) error {
	on, off, broken := 0, 0, []skills.Skill{}
	for _, s := range all {
		switch {
		case s.Fault:
			broken = append(broken, s)
		case s.Off != "":
			off++
		default:
			on++
		}
	}
	if inv.json {
		term.JSON(inv.stdout, struct {
			On     int            `json:"on"`
			Off    int            `json:"off"`
			Broken []skills.Skill `json:"broken"`
		}{on, off, broken})
	} else {
		fmt.Fprintf(inv.stdout, "%d on, %d off, %d broken\n", on, off, len(broken))
		for _, s := range all {
			if s.Off != "" {
				fmt.Fprintf(inv.stdout, "  %s: %s\n", term.OneLine(s.Name, 80), term.OneLine(skillState(s), 400))
			}
		}
	}
	if len(broken) > 0 {
		return &failure{exit: exitFailed, told: true}
	}
	return nil
}
