package app

import (
	"os"
	"path/filepath"

	"hardshell/runtime/config"
	"hardshell/tools/files"
)

// The names of the folders that read knows besides the workspace; with a colon they
// begin a path: docs:prompt.md.
const (
	docsRoot    = "docs"
	stateRoot   = "state"
	bundledRoot = "bundled"
)

// shortRoots are those folders.
func shortRoots(cfg config.Config) []files.Root {
	man := manualOf(cfg.State)
	return []files.Root{{Name: docsRoot, Dir: man.docs}, {Name: bundledRoot, Dir: man.skills}, {Name: stateRoot, Dir: stateSkills(cfg)}}
}

// stateSkills is the folder of the skills that the operator gives to the agent: in
// the state folder, where no tool can write.
func stateSkills(cfg config.Config) string { return filepath.Join(cfg.State, "skills") }

// Roots are the folders that policy's path rules speak of, links followed.
func Roots(cfg config.Config, getenv func(string) string) map[string]string {
	roots := map[string]string{
		"workspace": Real(cfg.Workspace), "state": Real(cfg.State), "policy": Real(cfg.Policy), "config": Real(configRoot(cfg)),
	}
	if own, err := os.Executable(); err == nil {
		roots["binary"] = Real(own)
	}
	roots["docs"], roots["skills"] = Real(manualOf(cfg.State).base), Real(stateSkills(cfg))
	if home := getenv("HOME"); filepath.IsAbs(home) {
		roots["home"] = Real(home)
	}
	return roots
}

// configRoot is what is protected beside the policy file: the folder of the
// settings, or the settings alone where they lie in the workspace itself.
func configRoot(cfg config.Config) string {
	file := cfg.File
	if file == "" {
		file = cfg.Policy
	}
	if dir := filepath.Dir(file); Real(dir) != Real(cfg.Workspace) {
		return dir
	}
	return file
}

// repoOf is the root of the repository that a folder lies in, empty when in none.
func repoOf(dir string) string {
	for at := Real(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// Real is a path with its links followed, as far as it exists.
func Real(path string) string {
	for there, rest := path, ""; ; there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest) {
		if p, err := filepath.EvalSymlinks(there); err == nil {
			return filepath.Join(p, rest)
		}
		if there == filepath.Dir(there) {
			return path
		}
	}
}
