package lookup

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hardshell/policy"
	"hardshell/tools/text"
)

// Limits of what is read of repositories' settings.
const (
	maxSettings = 256 << 10 // bytes of one file
	maxNamed    = 8         // settings named to a person
)

// GitRuns finds the settings of repositories in a folder that could make git run a
// program, each as "file: section.key = value". A setting that is not known to be
// harmless counts, and so does a file that can't be read plainly.
func GitRuns(top string) []string {
	var out []string
	if real, err := Follow(top); err == nil {
		top = real
	}
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what can't be entered is no repository for commands either
		case len(out) >= maxNamed:
			return fs.SkipAll
		case d.IsDir() && strings.HasSuffix(path, "/.git/objects"):
			return fs.SkipDir
		case d.IsDir() || d.Name() != "config" && d.Name() != "config.worktree" || !ofRepository(filepath.Dir(path)):
			return nil
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			rel = path
		}
		for _, s := range settings(path, d) {
			out = append(out, rel+": "+s)
		}
		return nil
	})
	return out[:min(len(out), maxNamed)]
}

// ofRepository reports a folder that git could take for a repository or for the
// common part of one.
func ofRepository(dir string) bool {
	return exists(dir+"/HEAD") || exists(dir+"/objects") || exists(dir+"/refs")
}

var (
	gitSection = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[\s*([A-Za-z0-9-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]\s*(?:[#;].*)?$`)
	})
	gitKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)\s*(?:=.*)?$`) })
)

// settings lists what is not known to be harmless in one file.
func settings(path string, d fs.DirEntry) []string {
	if info, err := d.Info(); err != nil || !d.Type().IsRegular() || info.Size() > maxSettings {
		return []string{"a link, or too large to look through"}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return []string{"can't be read"}
	}
	var out []string
	section := ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if m := gitSection().FindStringSubmatch(line); m != nil {
			section = strings.ToLower(m[1])
			continue
		}
		m := gitKey().FindStringSubmatch(line)
		if m == nil || strings.HasSuffix(line, `\`) || !harmlessSetting(section, strings.ToLower(m[1])) {
			out = append(out, text.Short(section+"."+line))
		}
	}
	return out
}

// harmlessSetting reports a setting of git that names no program and no other file
// of settings.
func harmlessSetting(section, key string) bool {
	keys, ok := harmlessSettings[section]
	return ok && (keys == nil || slices.Contains(keys, key))
}

// harmlessSettings are sections with their keys; nil stands for every key.
var harmlessSettings = map[string][]string{
	"core": {
		"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf",
		"quotepath", "abbrev", "compression", "bigfilethreshold", "worktree", "untrackedcache", "preloadindex", "commitgraph", "whitespace", "checkstat", "trustctime", "longpaths", "sharedrepository",
	},
	"user": {"name", "email", "signingkey"}, "author": {"name", "email"}, "committer": {"name", "email"},
	"remote": {"url", "fetch", "pushurl", "tagopt", "prune", "push"}, "branch": nil, "submodule": {"url", "active", "branch", "path", "recurse"},
	"color": nil, "column": nil, "advice": nil, "init": {"defaultbranch"}, "push": {"default", "autosetupremote", "followtags"}, "gc": nil, "status": nil, "pack": {"threads", "window", "depth"},
	"index": {"version", "threads"}, "fetch": {"prune", "prunetags"}, "rerere": nil, "i18n": nil, "log": {"date", "decorate", "abbrevcommit", "follow"}, "tag": {"sort"},
	"diff":  {"algorithm", "renames", "mnemonicprefix", "colormoved", "context", "noprefix", "submodule", "renamelimit", "wserrorhighlight", "indentheuristic"},
	"merge": {"conflictstyle", "ff"}, "pull": {"rebase", "ff"}, "extensions": {"objectformat", "worktreeconfig", "refstorage"}, "lfs": {"repositoryformatversion"}, "alias": nil, "gui": nil,
}

// UsesGit reports a program that is git.
func UsesGit(programs map[string]policy.Program) bool {
	for _, p := range programs {
		if filepath.Base(p.Path) == "git" || filepath.Base(p.Real) == "git" {
			return true
		}
	}
	return false
}
