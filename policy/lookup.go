package policy

import (
	"path"
	"strings"
)

// program is what a program word resolves to; ok is false when it was not found.
// While facts are gathered the word is noted and counts as a system program.
func (h *hearing) program(text string) (p Program, ok bool) {
	if h.trial != nil {
		return h.trial.exampleProgram(text), true
	}
	p, ok = h.facts.Programs[text]
	if !ok && h.missing != nil {
		h.missing.Programs = append(h.missing.Programs, text)
		file := "/usr/bin/" + path.Base(text)
		return Program{Path: file, Real: file}, true
	}
	return p, ok
}

// at is where a path leads; ok is false when it could not be looked up. While
// facts are gathered such a path is noted.
func (h *hearing) at(key string) (p Path, ok bool) {
	if h.trial != nil {
		abs := examplePath(key)
		return Path{Abs: abs, Real: abs, Exists: true}, true
	}
	p, ok = h.facts.Paths[key]
	if !ok && h.missing != nil {
		h.missing.Paths = append(h.missing.Paths, key)
	}
	return p, ok
}

// exampleProgram is a program of an example: one of the system, or where it says;
// the rule's own when the rule is bound to its contents.
func (r *execRule) exampleProgram(text string) Program {
	file := text
	if !strings.Contains(text, "/") {
		file = "/usr/bin/" + text
	}
	return Program{Path: file, Real: file, Writable: r.hash != "", Hash: r.hash}
}

// examplePath is where the path of an example leads: where it says, and into the
// workspace when it is relative.
func examplePath(text string) string {
	switch {
	case strings.HasPrefix(text, "/"):
		return path.Clean(text)
	case strings.HasPrefix(text, "~/"):
		return path.Join(exampleRoots["home"], text[2:])
	default:
		return path.Join(exampleRoots["workspace"], text)
	}
}
