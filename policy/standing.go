package policy

import (
	"path"
	"slices"
	"strings"
)

// interpreters are programs whose arguments or input are programs themselves.
// Versions in the name (python3.11) count as the same.
var interpreters = []string{
	"python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "lua", "luajit", "php", "tclsh", "wish", "expect", "awk", "gawk", "mawk", "nawk", "sed",
	"jq", "gdb", "vi", "vim", "ed", "ex", "emacs", "make", "gmake", "ninja", "cmake", "git", "ssh", "tar", "rsync", "docker", "podman", "java", "go", "cargo",
	"npm", "npx", "pip",
}

// Standing reports whether an action may be allowed for always: only one whose
// words say all that it will do. A script, a shell, a wrapper and an interpreter
// are not, nor is a command that is fed through its input, nor one in a folder
// that may hold another program by then. The zero Action is not.
func Standing(a Action) bool {
	switch {
	case a.Kind == KindFile && a.File != nil:
		return true
	case a.Kind != KindExec || a.Exec == nil || len(a.Exec.Argv) == 0 || a.Exec.Script != "" || a.Exec.Stdin != "" || len(a.Exec.Env) > 0:
		return false
	}
	prog := a.Exec.Argv[0]
	if path.IsAbs(prog) && !slices.Contains(systemDirs, path.Dir(prog)) || !path.IsAbs(prog) && path.Base(prog) != prog {
		return false
	}
	name := path.Base(prog)
	_, wraps := wrappers[name]
	return !wraps && !slices.Contains(shells, name) && !slices.Contains(interpreters, strings.TrimRight(name, "0123456789."))
}
