package main

import (
	"os"
	"path/filepath"

	"hardshell/runtime/config"
	"hardshell/tools"
)

// The names of the folders that read knows besides the workspace; with a colon they
// begin a path: docs:prompt.md.
const (
	docsRoot    = "docs"
	stateRoot   = "state"
	bundledRoot = "bundled"
)

// shortRoots are those folders.
func shortRoots(cfg config.Config) []tools.Root {
	man := manualOf(cfg.State)
	return []tools.Root{{Name: docsRoot, Dir: man.docs}, {Name: bundledRoot, Dir: man.skills}, {Name: stateRoot, Dir: stateSkills(cfg)}}
}

// stateSkills is the folder of the skills that the operator gives to the agent: in
// the state folder, where no tool can write.
func stateSkills(cfg config.Config) string { return filepath.Join(cfg.State, "skills") }

// namedRoots are the folders that policy's path rules speak of, links followed.
func namedRoots(cfg config.Config, getenv func(string) string) map[string]string {
	roots := map[string]string{
		"workspace": real(cfg.Workspace), "state": real(cfg.State), "policy": real(cfg.Policy), "config": real(configRoot(cfg)),
	}
	if own, err := os.Executable(); err == nil {
		roots["binary"] = real(own)
	}
	roots["docs"], roots["skills"] = real(manualOf(cfg.State).base), real(stateSkills(cfg))
	if home := getenv("HOME"); filepath.IsAbs(home) {
		roots["home"] = real(home)
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
	if dir := filepath.Dir(file); real(dir) != real(cfg.Workspace) {
		return dir
	}
	return file
}
