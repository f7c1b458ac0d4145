package app

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"

	"hardshell/assembly"
	"hardshell/hw"
	"hardshell/policy/wording"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/skills"
	"hardshell/tools/lookup"
	"hardshell/tools/secret"
)

// skillsOf gives the function that lists the skills for the model: those that are
// on, whose needs are met here and now and that the agent may use. A nil allowed
// means every skill.
func skillsOf(cfg config.Config, place skills.Place, allowed []string) func() []assembly.Skill {
	return func() []assembly.Skill {
		var out []assembly.Skill
		for _, s := range skills.Usable(discover(cfg, place, allowed)) {
			if s.Listed {
				out = append(out, assembly.Skill{Name: s.Name, Description: s.Description, Location: s.Location})
			}
		}
		return out
	}
}

// unknownSkills tells of names that an agent may use and that no skill has.
func unknownSkills(a config.Agent, all []skills.Skill) []event.Notice {
	var out []event.Notice
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	for _, want := range a.Skills {
		if slices.Contains(names, want) {
			continue
		}
		out = append(out, event.Notice{
			Code: "no_skill", Message: fmt.Sprintf("skills of agent %q names %q, and there is no such skill", a.ID, want) + wording.Meant(want, "", names),
			Hint: "agent skills list --agent " + a.ID + " shows those that are there",
		})
	}
	return out
}

// placeOf is what the needs of skills are held against. A config key counts as set
// when somebody set it. This version's policy names no lines, so no pin is there.
func placeOf(cfg config.Config, name string, board hw.Board, getenv func(string) string) skills.Place {
	return skills.Place{OS: goruntime.GOOS, Board: name, Has: func(kind, name string) bool {
		switch kind {
		case "bins":
			return installed(name)
		case "env":
			return getenv(name) != ""
		case "config":
			return cfg.From[name] != ""
		case "bus":
			return slices.Contains(hw.Buses(board), name)
		}
		return false
	}}
}

// Skills lists every skill that the settings of an agent lead to, on or off. Secrets
// are masked; an empty agent is main.
func Skills(cfg config.Config, agent string, getenv func(string) string) ([]skills.Skill, error) {
	own, entry, ok := cfg.Of(cmp.Or(agent, event.MainAgent))
	if !ok {
		return nil, noAgent(agent, cfg.AgentIDs())
	}
	host, board, err := this.host(cfg)
	if err != nil {
		return nil, err
	}
	found := discover(own, placeOf(own, host.Board, board, getenv), entry.Skills)
	masker := secret.New(Secrets(own, getenv))
	for i, s := range found {
		found[i].Description, found[i].Body, found[i].Off = masker.Redact(s.Description), masker.Redact(s.Body), masker.Redact(s.Off)
	}
	return found, nil
}

// discover lists the skills of the workspace, of the state folder and those that come
// with the program. Each folder is read beneath itself: no link leads out.
func discover(cfg config.Config, place skills.Place, allowed []string) []skills.Skill {
	var roots []skills.Root
	for _, one := range []struct{ name, dir, at string }{
		{"workspace", filepath.Join(cfg.Workspace, "skills"), "skills/"},
		{stateRoot, stateSkills(cfg), stateRoot + ":"},
	} {
		if root, err := os.OpenRoot(one.dir); err == nil { // most have none
			defer root.Close()
			roots = append(roots, skills.Root{Name: one.name, FS: root.FS(), At: one.at})
		}
	}
	return skills.Discover(append(roots, skills.Root{Name: bundledRoot, FS: skills.Bundled(), At: bundledRoot + ":"}), place, allowed)
}

// installed reports whether a program is in one of the system's folders.
func installed(name string) bool {
	if name != filepath.Base(name) {
		return false
	}
	for _, dir := range lookup.SystemDirs() {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}
