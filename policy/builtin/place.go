package builtin

import (
	"path"
	"slices"
	"strings"
	"sync"

	"hardshell/policy/argv"
)

// Harmless tells whether a path is one of the nodes that every program may use.
func Harmless(text string) bool {
	switch text {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

// Own are the named roots that belong to the agent itself.
var Own = map[string]bool{"state": true, "config": true, "policy": true, "run": true, "socket": true, "binary": true, "unit": true}

// Lent are the named roots that the agent reads and never writes: its manual and the
// skills that were given to it.
var Lent = map[string]bool{"docs": true, "skills": true}

// DashedName tells whether a part of the path, as written, begins with a dash.
func DashedName(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if strings.HasPrefix(part, "-") && part != "-" {
			return true
		}
	}
	return false
}

// IsGit tells whether a path is part of a repository's own files.
func IsGit(abs string) bool {
	return path.Base(abs) == "HEAD" || slices.Contains(strings.Split(abs, "/"), ".git")
}

// secretForms are the built-in secret paths; ** stands for any folders.
var secretForms = []string{
	"**/.ssh/**", "**/.gnupg/**", "**/.aws/**", "**/.azure/**", "**/.kube/**", "**/.docker/**", "**/.password-store/**", "**/.config/gcloud/**",
	"**/.config/gh/**", "**/.local/share/keyrings/**", "**/.netrc", "**/.pgpass", "**/.git-credentials", "**/.npmrc", "**/.pypirc", "**/.env", "**/.env.local",
	"**/.env.production", "**/.htpasswd", "**/.*_history", "**/id_rsa*", "**/id_ed25519*", "**/id_ecdsa*", "**/id_dsa*", "**/*.pem", "**/*.p12", "**/*.pfx", "**/*.kdbx",
	"/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/sudoers.d/**", "/etc/ssh/ssh_host_*", "/etc/ssl/private/**", "/etc/wpa_supplicant/**",
	"/etc/NetworkManager/system-connections/**", "/var/lib/NetworkManager/**", "/run/secrets/**", "/etc/hardshell/**",
	"/proc/*/environ", "/proc/*/mem", "/proc/*/fd/**", "/proc/*/root/**", "/proc/*/cwd/**", "/proc/*/exe", "/proc/*/maps", "/proc/*/smaps", "/proc/*/task/**",
	"/proc/*/cmdline", "/proc/*/auxv", "/proc/*/stack", "/proc/*/syscall", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kallsyms", "/proc/sysrq-trigger",
}

// secrets are the patterns of secretForms, once they are needed: those of hidden
// names apart, which no path without such a name can match. They are in small letters.
var secrets = sync.OnceValue(func() (s struct{ hidden, plain []argv.Glob }) {
	for _, form := range secretForms {
		if g := argv.CompileGlob(strings.ToLower(form)); g.Hidden() {
			s.hidden = append(s.hidden, g)
		} else {
			s.plain = append(s.plain, g)
		}
	}
	return s
})

// IsSecret tells whether a path is built-in secret, in small letters or large ones: a
// key is a key on a disk that came from elsewhere, too.
func IsSecret(abs string) bool {
	abs = strings.ToLower(abs)
	s := secrets()
	return (strings.Contains(abs, "/.") || strings.HasPrefix(abs, ".")) && argv.AnyMatches(s.hidden, abs) || argv.AnyMatches(s.plain, abs)
}
