package lookup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries bounds the look through the workspace before a command.
const maxEntries = 1_000_000

// Survey is what a look through the workspace finds before a command.
type Survey struct {
	Top            string // the workspace, links followed
	Hidden, Pinned []string
	Repos          map[string]string // with their marks, see repository
	doors          *doors            // nil until the first socket is found
}

// Look finds the paths of the workspace that policy keeps from being read. A command
// that goes through folders by itself (grep -r, tar, make) never names them, so it
// must not see them at all. The folders to pin are all those above them: one that a
// command in the background moves would not be where the next command hides it, and
// policy knows some secrets by the name of their folder.
//
// A folder that can't be looked through is hidden as a whole: commands may own it, and
// need no more than a name to open what lies in it.
func Look(workspace string, unreadable func(abs string) bool) (s Survey, err error) {
	if unreadable == nil {
		return s, nil
	}
	if s.Top, err = Follow(workspace); err != nil {
		return s, fmt.Errorf("look through the workspace: %w", err)
	}
	s.Repos = map[string]string{}
	seen := 0
	err = filepath.WalkDir(s.Top, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			return fmt.Errorf("the workspace holds more than %d files, too many to keep secrets in it from commands; take a smaller folder", maxEntries)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone
			return nil
		case errors.Is(err, fs.ErrPermission) && path != s.Top:
			s.hide(path)
			return nil
		case err != nil:
			return fmt.Errorf("look through the workspace: %w", err)
		case path == s.Top:
			return nil
		}
		if repo := repository(path, d); repo != "" {
			s.Repos[repo] = repositoryMark(repo)
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			return nil
		case d.Type()&fs.ModeSocket != 0 && s.door(d):
			s.hide(path)
			return nil
		case d.IsDir() && strings.HasSuffix(path, "/.git/objects"): // names are hashes
			return fs.SkipDir
		case !unreadable(path):
			return nil
		}
		s.hide(path)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(s.Pinned)
	s.Pinned = slices.Compact(s.Pinned)
	return s, err
}

// door reports a socket behind which a process outside of the sandbox may stand.
func (s *Survey) door(d fs.DirEntry) bool {
	if s.doors == nil {
		found := lookForDoors()
		s.doors = &found
	}
	return s.doors.open(d)
}

// hide hides a path and pins the folders above it.
func (s *Survey) hide(path string) {
	s.Hidden = append(s.Hidden, path)
	for up := filepath.Dir(path); up != s.Top; up = filepath.Dir(up) {
		s.Pinned = append(s.Pinned, up)
	}
}

// Locked are the repositories that a command must not change. Links have nothing to
// lock, and a workspace that is one itself has only parts of it.
func (s Survey) Locked() []string {
	var out []string
	for repo := range s.Repos {
		parts := []string{repo}
		if repo == s.Top {
			parts = []string{repo + "/config", repo + "/hooks"}
		}
		for _, p := range parts {
			if info, err := os.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink == 0 {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out
}
