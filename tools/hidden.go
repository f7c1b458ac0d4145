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

// hidden are the paths of the workspace that policy keeps from being read. A command
// that goes through folders by itself (grep -r, tar, make) never names them, so it
// must not see them at all. The folders to pin are those above them whose name policy
// knows the secret by.
func (e *Exec) hidden(j Judged) (hidden, pinned []string, err error) {
	if j.Unreadable == nil {
		return nil, nil, nil
	}
	top, err := follow(e.cfg.Roots.Workspace())
	if err != nil {
		return nil, nil, fmt.Errorf("look through the workspace: %w", err)
	}
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
		hidden = append(hidden, path)
		pinned = append(pinned, known(top, path, j.Unreadable)...)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	slices.Sort(pinned)
	return hidden, slices.Compact(pinned), err
}

// known are the folders between the workspace and a secret that can't have another
// name: with it, or deeper down, the secret would be none.
func known(top, secret string, unreadable func(string) bool) (out []string) {
	for up := filepath.Dir(secret); up != top; up = filepath.Dir(up) {
		rest := strings.TrimPrefix(secret, up)
		if !unreadable(top+"/elsewhere"+rest) || !unreadable(top+"/else/where"+rest) {
			out = append(out, up)
		}
	}
	return out
}

// hiddenNote tells of what a command could not see or move, so that a missing file
// does not puzzle anybody.
func (e *Exec) hiddenNote(c Command) string {
	if len(c.Hidden) == 0 {
		return ""
	}
	note := "commands can't see " + e.cfg.Roots.relative(c.Hidden[0])
	if n := len(c.Hidden) - 1; n == 0 {
		note += ", which policy keeps secret"
	} else {
		note += fmt.Sprintf(" and %d more that policy keeps secret", n)
	}
	if len(c.Pinned) > 0 {
		note += ", nor move " + e.cfg.Roots.relative(c.Pinned[0]) + " above it"
	}
	return note
}
