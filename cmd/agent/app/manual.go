package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"hardshell/docs"
	"hardshell/runtime/skills"
)

// manual is where the embedded manual and the skills that come with the program
// lie on disk, so that the read tool and commands can reach them. It stands
// beside the state folder, not in it: nothing may read the agent's own state.
type manual struct {
	base, docs, skills string
}

// manualOf names the folders for a state folder.
func manualOf(state string) manual {
	base := filepath.Clean(state) + "-manual"
	return manual{base: base, docs: filepath.Join(base, "docs"), skills: filepath.Join(base, "skills")}
}

// lay writes what is not there as it should be and removes what an older version
// left, so that the agent never reads a page of another version.
func (m manual) lay() error {
	for _, one := range []struct {
		from fs.FS
		to   string
	}{{docs.Pages, m.docs}, {skills.Bundled(), m.skills}} {
		if err := layOut(one.from, one.to); err != nil {
			return fmt.Errorf("lay out the manual: %w", err)
		}
	}
	return nil
}

// layOut makes a folder hold exactly the files of an embedded one.
func layOut(from fs.FS, to string) error {
	want := map[string]bool{}
	err := fs.WalkDir(from, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		want[p] = true
		at := filepath.Join(to, filepath.FromSlash(p))
		if d.IsDir() {
			return os.MkdirAll(at, 0o755)
		}
		data, err := fs.ReadFile(from, p)
		if err != nil {
			return err
		}
		if old, err := os.ReadFile(at); err == nil && bytes.Equal(old, data) {
			return nil
		}
		return renameio.WriteFile(at, data, 0o644)
	})
	if err != nil {
		return err
	}
	return filepath.WalkDir(to, func(at string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		rel, relErr := filepath.Rel(to, at)
		switch {
		case err != nil:
			return err
		case relErr != nil:
			return relErr
		case want[filepath.ToSlash(rel)]:
			return nil
		case d.IsDir():
			if err := os.RemoveAll(at); err != nil {
				return err
			}
			return fs.SkipDir
		}
		return os.Remove(at)
	})
}
