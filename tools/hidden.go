package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries bounds the look through the workspace before a command.
const maxEntries = 1_000_000

// survey is what a look through the workspace finds before a command.
type survey struct {
	top            string // the workspace, links followed
	hidden, pinned []string
	repos          map[string]string // with their marks, see repository
	doors          *doors            // nil until the first socket is found
}

// survey finds the paths of the workspace that policy keeps from being read. A command
// that goes through folders by itself (grep -r, tar, make) never names them, so it
// must not see them at all. The folders to pin are all those above them: one that a
// command in the background moves would not be where the next command hides it, and
// policy knows some secrets by the name of their folder.
//
// A folder that can't be looked through is hidden as a whole: commands may own it, and
// need no more than a name to open what lies in it.
func (e *Exec) survey(j Judged) (s survey, err error) {
	if j.Unreadable == nil {
		return s, nil
	}
	if s.top, err = follow(e.cfg.Roots.Workspace()); err != nil {
		return s, fmt.Errorf("look through the workspace: %w", err)
	}
	s.repos = map[string]string{}
	seen := 0
	err = filepath.WalkDir(s.top, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			return fmt.Errorf("the workspace holds more than %d files, too many to keep secrets in it from commands; take a smaller folder", maxEntries)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone
			return nil
		case errors.Is(err, fs.ErrPermission) && path != s.top:
			s.hide(path)
			return nil
		case err != nil:
			return fmt.Errorf("look through the workspace: %w", err)
		case path == s.top:
			return nil
		}
		if repo := repository(path, d); repo != "" {
			s.repos[repo] = repositoryMark(repo)
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			return nil
		case d.Type()&fs.ModeSocket != 0 && s.door(d):
			s.hide(path)
			return nil
		case d.IsDir() && strings.HasSuffix(path, "/.git/objects"): // names are hashes
			return fs.SkipDir
		case !j.Unreadable(path):
			return nil
		}
		s.hide(path)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(s.pinned)
	s.pinned = slices.Compact(s.pinned)
	return s, err
}

// door reports a socket behind which a process outside of the sandbox may stand.
func (s *survey) door(d fs.DirEntry) bool {
	if s.doors == nil {
		found := lookForDoors()
		s.doors = &found
	}
	return s.doors.open(d)
}

// hide hides a path and pins the folders above it.
func (s *survey) hide(path string) {
	s.hidden = append(s.hidden, path)
	for up := filepath.Dir(path); up != s.top; up = filepath.Dir(up) {
		s.pinned = append(s.pinned, up)
	}
}

// hiddenNote tells of what a command could not see or move, so that a missing file
// does not puzzle anybody.
func (e *Exec) hiddenNote(c Command) string {
	if len(c.Hidden) == 0 {
		return ""
	}
	note := "commands can't see " + e.cfg.Roots.relative(c.Hidden[0])
	if n := len(c.Hidden) - 1; n == 0 {
		note += ", which is kept from them"
	} else {
		note += fmt.Sprintf(" and %d more that are kept from them", n)
	}
	if len(c.Pinned) > 0 {
		note += ", nor move " + e.cfg.Roots.relative(c.Pinned[0]) + " above it"
	}
	return note
}

// lockedNote explains a command's own complaint about a repository.
func (e *Exec) lockedNote(c Command, shown string) string {
	if len(c.Locked) == 0 || !strings.Contains(shown, "Read-only file system") {
		return ""
	}
	return "commands can't change " + e.cfg.Roots.relative(c.Locked[0]) + ": only git itself does, when a person says yes"
}
