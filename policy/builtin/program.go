package builtin

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"hardshell/policy/argv"
)

// SystemDirs are the only folders in which a bare name is looked for.
var SystemDirs = []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/local/cuda/bin", "/usr/games"}

// InSystem tells whether a program lies in a system folder.
func InSystem(file string) bool { return slices.Contains(SystemDirs, path.Dir(file)) }

// Shells take their commands as text.
var Shells = []string{"sh", "dash", "bash", "ash", "zsh", "ksh", "mksh", "ksh93", "rbash", "yash", "posh", "fish", "csh", "tcsh"}

// Interpreters are programs whose arguments or input are programs themselves.
// Versions in the name (python3.11) count as the same.
var Interpreters = []string{
	"python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "lua", "luajit", "php", "tclsh", "wish", "expect", "awk", "gawk", "mawk", "nawk", "sed",
	"jq", "gdb", "vi", "vim", "ed", "ex", "emacs", "make", "gmake", "ninja", "cmake", "git", "ssh", "tar", "rsync", "docker", "podman", "java", "go", "cargo",
	"npm", "npx", "pip",
}

// RunsText tells whether a program runs program text.
func RunsText(name string) bool {
	for _, p := range []string{"python", "perl", "ruby", "node", "lua", "php", "tclsh", "wish", "expect", "Rscript", "julia", "guile", "gjs", "qjs", "osascript", "groovy", "scala", "pypy", "ipython", "irb", "deno", "bun"} {
		if rest, ok := strings.CutPrefix(name, p); ok && strings.Trim(rest, "0123456789.js") == "" {
			return true
		}
	}
	return false
}

// Inline tells whether an interpreter gets its program from its arguments or its
// input instead of a file.
func Inline(ws []argv.Word) bool {
	for i, w := range ws {
		switch {
		case w.Kind != argv.Literal || w.Text == "-":
			return true
		case strings.HasPrefix(w.Text, "--eval") || strings.HasPrefix(w.Text, "--print") || strings.HasPrefix(w.Text, "--exec"):
			return true
		case len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && w.Text != "-m" && strings.ContainsAny(w.Text, "ceErRpxn"):
			return true
		case !strings.HasPrefix(w.Text, "-"):
			return false
		case w.Text == "--version" || w.Text == "-V" || w.Text == "-m" && i+1 < len(ws):
			return false
		}
	}
	return true
}

// SleepSeconds reads an argument of sleep.
func SleepSeconds(w argv.Word) (float64, bool) {
	if w.Kind != argv.Literal || w.Text == "" {
		return 0, false
	}
	unit := map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400}[w.Text[len(w.Text)-1]]
	digits := w.Text
	if unit > 0 {
		digits = digits[:len(digits)-1]
	} else {
		unit = 1
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n < 0 || n != n {
		return 0, false
	}
	return n * unit, true
}

// Multicall are programs that many names lead to: the name decides, not the file.
var Multicall = []string{"busybox", "toybox", "coreutils", "systemctl", "kmod", "systemd", "lvm", "xfs_db", "killall5"}

// systemctl verbs that only look, and those that end or change something.
var (
	systemctlReads  = []string{"status", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers", "list-sockets", "list-dependencies", "show", "cat", "--version"}
	systemctlForced = []string{"-H", "--host", "-M", "--machine", "--root", "--image", "--force", "-f"}
)

// SystemctlChanges tells whether a systemctl command may do more than look.
func SystemctlChanges(ws []argv.Word) bool {
	reads := false
	for _, w := range ws {
		switch {
		case w.Kind != argv.Literal:
			return true
		case slices.Contains(systemctlReads, w.Text):
			reads = true
		case slices.Contains(systemctlForced, w.Text) || strings.HasPrefix(w.Text, "--host=") || strings.HasPrefix(w.Text, "--machine="):
			return true
		case !strings.ContainsAny(w.Text, ".-@") && !reads:
			return true // a verb before any verb that reads
		case slices.Contains(systemctlPower, w.Text):
			return true
		}
	}
	return !reads
}

var systemctlPower = []string{"reboot", "poweroff", "halt", "suspend", "hibernate", "hybrid-sleep", "kexec", "soft-reboot", "start", "stop", "restart", "isolate", "kill", "default", "rescue", "emergency", "exit", "switch-root"}

// Variables are the variables that every command may be given.
var Variables = []string{"LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR", "COLUMNS", "LINES"}
