package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hardshell/policy"
)

// maxRounds bounds how often policy is asked what it still needs: the files that a
// pattern names give new paths, and that is as deep as it goes.
const maxRounds = 6

// facts completes what a tool looked up: time, origin, roots, and each program,
// path and name pattern that policy wants to know of. What can't be looked up is
// left out, and policy denies.
func (r *Registry) facts(pol Policy, from Origin, p Plan) policy.Facts {
	f := policy.Facts{
		Now: r.cfg.Now(), Agent: from.Agent, Session: from.Session, Run: from.Run, Job: from.Job, Attended: from.Attended,
		Roots: r.cfg.Roots, Confined: r.cfg.Confined,
		Programs: map[string]policy.Program{}, Paths: map[string]policy.Path{}, Globs: map[string][]string{},
		Used: r.cfg.Uses.all(),
	}
	w := world{programs: r.cfg.ProgramDirs, dir: r.cfg.Dir, uid: r.cfg.CommandUID, known: p.Facts}
	if p.Action.Exec != nil {
		w.dir = p.Action.Exec.Cwd
	}
	asked := policy.Subjects{}
	for range maxRounds {
		s := pol.Missing(p.Action, f)
		// A word that was not found stays missing; it is not asked for twice.
		s.Programs, s.Paths, s.Globs = fresh(s.Programs, &asked.Programs), fresh(s.Paths, &asked.Paths), fresh(s.Globs, &asked.Globs)
		if len(s.Programs)+len(s.Paths)+len(s.Globs) == 0 {
			break
		}
		w.look(s, &f)
	}
	if usesGit(f.Programs) {
		f.GitRuns = gitRuns(r.cfg.Dir)
	}
	return f
}

// fresh takes out what was asked before and remembers the rest.
func fresh(words []string, before *[]string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(*before, w) {
			out = append(out, w)
			*before = append(*before, w)
		}
	}
	return out
}

// world looks up what policy asks for.
type world struct {
	programs []string // folders of programs
	dir      string   // where relative words start
	uid      int      // the user that commands run as
	known    policy.Facts
}

func (w *world) look(s policy.Subjects, f *policy.Facts) {
	for _, word := range s.Programs {
		if known, ok := w.known.Programs[word]; ok {
			f.Programs[word] = known
		} else if found, ok := lookProgram(w.programs, w.dir, word, w.uid); ok {
			f.Programs[word] = found
		}
	}
	for _, word := range s.Paths {
		if known, ok := w.known.Paths[word]; ok {
			f.Paths[word] = known
		} else if found, ok := lookPath(w.dir, word); ok {
			f.Paths[word] = found
		}
	}
	for _, pattern := range s.Globs {
		if files, ok := expand(w.dir, pattern); ok {
			f.Globs[pattern] = files
		}
	}
}

// maxMatches bounds one pattern. Policy judges far fewer; more is left unexpanded,
// which denies.
const maxMatches = 10_000

// expand gives the paths that a name pattern stands for now, written as a shell
// would write them: the pattern's own words where it has no mark, hidden files only
// where the pattern begins with a dot. A backslash escapes, [^…] negates. It is
// not ok when the pattern is malformed or matches too much.
func expand(dir, pattern string) (files []string, ok bool) {
	if _, err := filepath.Match(pattern, ""); err != nil || strings.ContainsRune(pattern, 0) {
		return nil, false
	}
	found := []string{""}
	parts := strings.SplitAfter(pattern, "/")
	for i, part := range parts {
		name := strings.TrimSuffix(part, "/")
		slash := part[len(name):]
		var next []string
		for _, before := range found {
			for _, n := range matches(join2(dir, before), name) {
				path := before + n + slash
				if i < len(parts)-1 || exists(join2(dir, path)) {
					next = append(next, path)
				}
			}
			if len(next) > maxMatches {
				return nil, false
			}
		}
		found = next
	}
	slices.Sort(found)
	return found, true
}

// matches gives the entries of a folder that one part of a pattern matches. A part
// without a mark stands for itself.
func matches(dir, part string) []string {
	if !strings.ContainsAny(part, `*?[\`) {
		return []string{part}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		hiddenName := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(part, ".")
		if ok, err := filepath.Match(part, e.Name()); ok && err == nil && !hiddenName {
			out = append(out, e.Name())
		}
	}
	return out
}

// join2 puts a word behind a folder without cleaning: ".." is the kernel's to
// follow.
func join2(dir, word string) string {
	if strings.HasPrefix(word, "/") {
		return word
	}
	return dir + "/" + word
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
