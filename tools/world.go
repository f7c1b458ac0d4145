package tools

import (
	"slices"

	"hardshell/policy"
	"hardshell/tools/lookup"
)

// maxLooks bounds how often the world is looked at for one action: the files that a
// pattern names give new paths, and that is as deep as it goes.
const maxLooks = 2

// weigh asks policy about a prepared call, and again only where a fact was missing. The facts are
// what the tool looked up, completed: time, origin, roots, and each program, path and
// name pattern that policy wants to know of. What can't be looked up is left out, and
// policy denies.
func (r *Registry) weigh(pol Policy, from Origin, p Prepared) (policy.Facts, policy.Decision) {
	f := policy.Facts{
		Now: r.cfg.Now(), Agent: from.Agent, Session: from.Session, Run: from.Run, Job: from.Job, Attended: from.Attended,
		Roots: r.cfg.Roots, Confined: r.cfg.Confined,
		Programs: map[string]policy.Program{}, Paths: map[string]policy.Path{}, Globs: map[string][]string{},
		Used: r.cfg.Uses.all(),
	}
	w := world{programs: r.cfg.ProgramDirs, dir: r.cfg.Dir, uid: r.cfg.CommandUID, known: p.Facts}
	if x := p.Action.Command(); x != nil {
		w.dir = x.Cwd
	}
	asked, git := policy.Subjects{}, false
	for range maxLooks {
		d, s := pol.Try(p.Action, f)
		if s.Empty() {
			return f, d
		}
		// A word that was not found stays missing; it is not looked for twice.
		s.Programs, s.Paths, s.Globs = fresh(s.Programs, &asked.Programs), fresh(s.Paths, &asked.Paths), fresh(s.Globs, &asked.Globs)
		if s.Empty() {
			break
		}
		w.look(s, &f)
		if !git && lookup.UsesGit(f.Programs) {
			git, f.GitRuns = true, lookup.GitRuns(r.cfg.Dir)
		}
	}
	return f, pol.Decide(p.Action, f)
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
		} else if found, ok := lookup.Program(w.programs, w.dir, word, w.uid); ok {
			f.Programs[word] = found
		}
	}
	for _, word := range s.Paths {
		if known, ok := w.known.Paths[word]; ok {
			f.Paths[word] = known
		} else if found, ok := lookup.Path(w.dir, word); ok {
			f.Paths[word] = found
		}
	}
	for _, pattern := range s.Globs {
		if files, ok := lookup.Glob(w.dir, pattern); ok {
			f.Globs[pattern] = files
		}
	}
}
