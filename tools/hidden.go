package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxEntries bounds the look through the workspace before a command.
const maxEntries = 1_000_000

// hidden are the paths of the workspace that policy keeps from being read. A command
// that goes through folders by itself (grep -r, tar, make) never names them, so it
// must not see them at all.
func (e *Exec) hidden(j Judged) ([]string, error) {
	if j.Unreadable == nil {
		return nil, nil
	}
	top, err := follow(e.cfg.Roots.Workspace())
	if err != nil {
		return nil, fmt.Errorf("look through the workspace: %w", err)
	}
	var out []string
	seen := 0
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > maxEntries {
			return fmt.Errorf("the workspace holds more than %d files, too many to keep secrets in it from commands; take a smaller folder", maxEntries)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // gone, or closed to commands as well
			return nil
		case err != nil:
			return fmt.Errorf("look through the workspace: %w", err)
		case path == top || d.Type()&fs.ModeSymlink != 0:
			return nil
		case d.IsDir() && strings.HasSuffix(path, "/.git/objects"): // names are hashes
			return fs.SkipDir
		case !j.Unreadable(path):
			return nil
		}
		out = append(out, path)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return out, err
}

// hiddenNote tells of what a command could not see, so that a missing file does not
// puzzle anybody.
func (e *Exec) hiddenNote(hidden []string) string {
	switch len(hidden) {
	case 0:
		return ""
	case 1:
		return "commands can't see " + e.cfg.Roots.relative(hidden[0]) + ", which policy keeps secret"
	}
	return fmt.Sprintf("commands can't see %s and %d more that policy keeps secret", e.cfg.Roots.relative(hidden[0]), len(hidden)-1)
}
