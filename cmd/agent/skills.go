package main

import (
	"os"
	"path/filepath"
	goruntime "runtime"

	"hardshell/assembly"
	"hardshell/runtime/config"
	"hardshell/runtime/skills"
	"hardshell/tools"
)

// skillsOf gives the function that lists the skills of a workspace: those that
// are on and whose needs are met here and now.
func skillsOf(cfg config.Config, board string, getenv func(string) string) func() []assembly.Skill {
	place := placeOf(cfg, board, getenv)
	return func() []assembly.Skill {
		var out []assembly.Skill
		for _, s := range skills.Usable(discover(cfg, place)) {
			if s.Listed {
				out = append(out, assembly.Skill{Name: s.Name, Description: s.Description, Location: s.Location})
			}
		}
		return out
	}
}

// placeOf is what the needs of skills are held against.
func placeOf(cfg config.Config, board string, getenv func(string) string) skills.Place {
	return skills.Place{OS: goruntime.GOOS, Board: board, Has: func(kind, name string) bool {
		switch kind {
		case "bins":
			return installed(name)
		case "env":
			return getenv(name) != ""
		case "config":
			return cfg.From[name] != ""
		}
		return false // this version drives no pins and no buses
	}}
}

// skillsHere lists every skill that the settings lead to, on or off.
func (c *call) skillsHere() ([]skills.Skill, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, err
	}
	host, _, err := this.host(cfg)
	if err != nil {
		return nil, err
	}
	return discover(cfg, placeOf(cfg, host.Board, c.getenv)), nil
}

// discover lists the skills of the workspace and those that come with the
// program. The workspace's are read beneath its folder: no link leads out.
func discover(cfg config.Config, place skills.Place) []skills.Skill {
	bundled := skills.Root{Name: "bundled", FS: skills.Bundled(), At: manualOf(cfg.State).skills}
	root, err := os.OpenRoot(filepath.Join(cfg.Workspace, "skills"))
	if err != nil { // most workspaces have none
		return skills.Discover([]skills.Root{bundled}, place, nil)
	}
	defer root.Close()
	return skills.Discover([]skills.Root{{Name: "workspace", FS: root.FS(), At: "skills"}, bundled}, place, nil)
}

// installed reports whether a program is in one of the system's folders.
func installed(name string) bool {
	if name != filepath.Base(name) {
		return false
	}
	for _, dir := range tools.SystemDirs() {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}
