package shell

import "strings"

// Steers tells whether a variable steers a shell, the loader or the look-up of
// programs. Scripts may not even set such a name for themselves.
func Steers(name string) bool {
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

// shellVariables have values of their own in some shells, whatever is assigned.
var shellVariables = []string{
	"UID", "EUID", "FUNCNAME", "DIRSTACK", "GROUPS", "PIPESTATUS", "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "HISTCMD", "REPLY", "MACHTYPE",
	"HOSTTYPE", "OSTYPE", "HOSTNAME", "COMP_WORDS", "COMP_LINE", "COPROC", "MAPFILE", "OPTERR", "TIMEFORMAT", "IGNOREEOF", "COMPREPLY", "CHILD_MAX", "FUNCNEST", "TMOUT",
}
