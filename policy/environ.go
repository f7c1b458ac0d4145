package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/wording"
)

// environment judges the variables that a command is given.
func (h *hearing) environment(env []string) {
	for _, e := range env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			h.deny("builtin.env", fmt.Sprintf("%s is no variable: write NAME=value", wording.Quote(e)), "")
			continue
		}
		h.variable(name, value)
	}
}

// variable judges one variable that reaches programs. Only names on the list
// pass: too many programs take commands, files or code from their environment.
func (h *hearing) variable(name, value string) {
	switch {
	case dangerous(name):
		h.deny("builtin.env", fmt.Sprintf("%s changes which programs run", wording.Quote(name)), "leave it out")
	case !slices.Contains(harmlessEnv, name) && !strings.HasPrefix(name, "LC_") && !slices.Contains(h.policy.env, name):
		h.deny("builtin.env", fmt.Sprintf("%s is not among the variables that commands may be given", wording.Quote(name)),
			fmt.Sprintf("the operator can add it to env in the policy; there are %s", strings.Join(append(slices.Clone(harmlessEnv), h.policy.env...), ", ")))
	case strings.HasPrefix(value, "/") || strings.HasPrefix(value, ":") || strings.Contains(value, ".."):
		if slices.Contains(harmlessEnv, name) || strings.HasPrefix(name, "LC_") {
			h.deny("builtin.env", fmt.Sprintf("the value %s of %s names a file", wording.Quote(value), name), "leave it out")
		}
	}
}

// harmlessEnv are the variables that every command may be given.
var harmlessEnv = []string{"LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR", "COLUMNS", "LINES"}

// dangerous tells whether a variable steers a shell, the loader or the look-up of
// programs. Scripts may not even set such a name for themselves.
func dangerous(name string) bool {
	switch name {
	case "PATH", "IFS", "ENV", "HOME", "PWD", "OLDPWD", "CDPATH", "SHELL", "SHELLOPTS", "BASHOPTS", "OPTIND", "OPTARG", "PPID", "TMPDIR", "TEMP", "TMP", "FPATH", "GLOBIGNORE", "PROMPT_COMMAND",
		"TERMINFO", "LOCPATH", "NLSPATH", "HOSTALIASES", "RES_OPTIONS", "MALLOC_TRACE", "EDITOR", "VISUAL", "PAGER", "BROWSER", "FCEDIT", "HISTFILE", "INPUTRC", "POSIXLY_CORRECT", "EXECIGNORE",
		"LINENO", "USER", "LOGNAME", "MAIL", "MAILPATH", "MAILCHECK", "TAPE", "RSH", "GZIP", "BZIP", "XZ_OPT", "XZ_DEFAULTS", "LESS", "MORE", "MAKEFLAGS", "MFLAGS", "CC", "COMPILER_PATH", "LIBRARY_PATH", "CPATH":
		return true
	}
	for _, p := range []string{"LD_", "BASH", "PS", "GIT_", "GCC_", "PYTHON", "PERL", "RUBY", "NODE_", "JAVA_", "LUA_", "GCONV_", "GLIBC_", "SSH_", "HARDSHELL_", "OLLAMA_", "TAR_", "GREP_", "LESS", "MAN", "DYLD_", "_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
