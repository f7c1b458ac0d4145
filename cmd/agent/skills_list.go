package main

import (
	"context"
	"flag"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/skills"
)

func skillsListCommand() subcommand {
	var of address
	return subcommand{
		name: "skills list", short: "every skill, on or why off",
		long: `
Lists the skills of the workspace, of the state folder and those that come with the
program, by name and then by precedence: where each lies, and whether it is on or why
not. A skill is a folder with a SKILL.md; both folders have one called skills for them.

  agent skills list
  agent skills list --json
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("skills list"); err != nil {
				return err
			}
			all, err := skillsHere(inv, of.agent)
			if err != nil {
				return err
			}
			listSkills(inv, all)
			return nil
		},
	}
}

// listSkills prints skills as a table.
func listSkills(inv *invocation, all []skills.Skill) {
	if inv.json {
		if all == nil {
			all = []skills.Skill{}
		}
		term.JSON(inv.stdout, struct {
			Skills []skills.Skill `json:"skills"`
		}{all})
		return
	}
	rows := [][]string{{"SKILL", "ROOT", "LOCATION", "STATE"}}
	for _, s := range all {
		rows = append(rows, []string{s.Name, s.Root, s.Location, skillState(s)})
	}
	term.List(inv.stdout, inv.stderr, rows, "there is no skill")
}

// skillState says whether a skill is on, and why not.
func skillState(s skills.Skill) string {
	switch {
	case s.Fault:
		return "broken: " + s.Off
	case s.Off != "":
		return "off: " + s.Off
	case !s.Listed && !s.Invocable:
		return "on, for neither the model nor /skill"
	case !s.Listed:
		return "on, for /skill only"
	case !s.Invocable:
		return "on, for the model only"
	}
	return "on"
}

// skillsHere lists every skill that the settings of an agent lead to, on or off.
func skillsHere(inv *invocation, agent string) ([]skills.Skill, error) {
	cfg, err := inv.load()
	if err != nil {
		return nil, err
	}
	return app.Skills(cfg, agent, inv.getenv)
}
