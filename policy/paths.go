package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// scene is where a command stands.
type scene struct {
	// cwds are the folders, relative to the action's own, in which it may run; a
	// cd that may fail gives two.
	cwds       []string
	depth      int
	shell      bool    // the shell itself reads its first word
	script     bool    // part of a shell text, however deep
	applet     bool    // named by busybox, not looked up
	background bool    // waits for nobody
	endless    bool    // inside a while or until
	many       bool    // run as often as its carrier likes: xargs, find -exec
	carried    bool    // by xargs or find itself: what it gets are names that they found
	times      float64 // how often loops run it, 0 counts as once
}

// path judges one path in every folder that the command may run in, and tells
// whether nothing spoke against it.
func (h *hearing) path(ctx scene, text string, a argv.Access) bool {
	if stdio(text) && a != argv.Remove {
		h.add(finding{rule: "builtin.stdio", verdict: Allow, why: "harmless device", reason: text + " is harmless", weight: 1})
		return true
	}
	h.strays = h.strays || h.moves && a != argv.List && a != argv.Remove
	before := len(h.found)
	for _, cwd := range ctx.cwds {
		key := argv.Under(cwd, text)
		p, ok := h.at(key)
		switch {
		case h.missing != nil && !ok:
		case !ok:
			h.deny("builtin.lookup", fmt.Sprintf("%s could not be looked up", wording.Quote(key)), "check the path")
		default:
			h.lookedUp(text, key, p, a)
		}
	}
	return !slices.ContainsFunc(h.found[before:], func(f finding) bool { return f.verdict == Deny })
}

// judgement is a path and what is done with it.
type judgement struct {
	key    string
	access argv.Access
}

// lookedUp judges a path whose place is known; each one once, however many rules
// and parts name it.
func (h *hearing) lookedUp(text, key string, p Path, a argv.Access) {
	if h.notes != nil {
		defer h.leave(h.enter(Part{Kind: "path", Text: text, Access: string(a), Real: p.Real}))
	}
	j := judgement{key, a}
	said, ok := h.paths[j]
	if !ok {
		before := len(h.found)
		if !h.protected(text, p, a) {
			h.fileRules(text, p, a)
		}
		for i := range h.found[before:] {
			h.found[before+i].real, h.found[before+i].access = p.Real, a
		}
		said = slices.Clone(h.found[before:])
		if h.paths == nil {
			h.paths = map[judgement][]finding{}
		}
		h.paths[j] = said
		return
	}
	for _, f := range said {
		h.add(f)
	}
}

// stdio tells whether a path is one of the nodes that every program may use.
func stdio(text string) bool {
	switch text {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

// protected applies the built-in rules on paths, and tells whether one denied.
func (h *hearing) protected(text string, p Path, a argv.Access) bool {
	deny := func(id string) bool { return h.apply(builtinByID(id), wording.Quote(text)) }
	for i, abs := range []string{p.Real, p.Abs} {
		if i > 0 && abs == p.Real {
			break
		}
		switch name := h.ownRoot(abs); {
		case own[name], lent[name] && a.Writes():
			return deny("builtin.self")
		case a == argv.Remove && h.aboveOwn(abs):
			return deny("builtin.self")
		}
		if isSecret(abs) && deny("builtin.secret") {
			return true
		}
		if a.Writes() {
			if (abs == "/sys" || abs == "/proc" || strings.HasPrefix(abs, "/sys/") || strings.HasPrefix(abs, "/proc/")) && deny("builtin.sys") {
				return true
			}
			if isGit(abs) && deny("builtin.git") {
				return true
			}
		}
	}
	if a == argv.Device {
		return false
	}
	if (p.Kind == "device" || strings.HasPrefix(p.Real, "/dev/")) && a != argv.List && !stdio(p.Real) && deny("builtin.device") {
		return true
	}
	if a.Writes() && dashedName(text) {
		h.deny("builtin.dash", fmt.Sprintf("%s has a part that begins with a dash, which programs take for a flag", wording.Quote(text)), "choose another name")
		return true
	}
	return false
}

// own are the named roots that belong to the agent itself.
var own = map[string]bool{"state": true, "config": true, "policy": true, "run": true, "socket": true, "binary": true, "unit": true}

// lent are the named roots that the agent reads and never writes: its manual and the
// skills that were given to it.
var lent = map[string]bool{"docs": true, "skills": true}

// ownRoot is the name of the innermost named root that a path lies in: a
// workspace inside of the config folder is a workspace.
func (h *hearing) ownRoot(abs string) string {
	if h.lain.abs == abs && abs != "" {
		return h.lain.root
	}
	best, name := -1, ""
	for n, root := range h.facts.Roots {
		if root != "" && within(root, abs) && (len(root) > best || len(root) == best && own[n]) {
			best, name = len(root), n
		}
	}
	h.lain.abs, h.lain.root = abs, name
	return name
}

// aboveOwn tells whether one of the agent's own folders lies in the path.
func (h *hearing) aboveOwn(abs string) bool {
	for n, root := range h.facts.Roots {
		if own[n] && root != "" && abs != root && within(abs, root) {
			return true
		}
	}
	return false
}

// within tells whether a clean path is a folder or lies beneath it.
func within(root, abs string) bool {
	return abs == root || root == "/" || strings.HasPrefix(abs, root) && len(abs) > len(root) && abs[len(root)] == '/'
}

// dashedName tells whether a part of the path, as written, begins with a dash.
func dashedName(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if strings.HasPrefix(part, "-") && part != "-" {
			return true
		}
	}
	return false
}

// isGit tells whether a path is part of a repository's own files.
func isGit(abs string) bool {
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

// isSecret tells whether a path is built-in secret, in small letters or large ones: a
// key is a key on a disk that came from elsewhere, too.
func isSecret(abs string) bool {
	abs = strings.ToLower(abs)
	s := secrets()
	return (strings.Contains(abs, "/.") || strings.HasPrefix(abs, ".")) && argv.AnyMatches(s.hidden, abs) || argv.AnyMatches(s.plain, abs)
}
