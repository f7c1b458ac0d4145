package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// setAside renames a file that can't be used, so that somebody can still look at
// it, and gives its new name.
func (s *Store) setAside(name, why string) (string, error) {
	stamp := s.opts.Now().UTC().Format("20060102T150405Z")
	for i := range 1000 {
		to := fmt.Sprintf("%s.%s-%s", name, why, stamp)
		if i > 0 {
			to = fmt.Sprintf("%s-%d", to, i)
		}
		if _, err := os.Lstat(s.path(to)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(s.path(name), s.path(to)); err != nil {
			return "", classify(s.dir, "set "+name+" aside", err)
		}
		return to, nil
	}
	return "", fmt.Errorf("%s holds a thousand files like %s.%s-%s already; move them away and start again", s.dir, name, why, stamp)
}

// copyChecked copies a snapshot to a temporary name and sees that it is whole.
func (s *Store) copyChecked(name string) (path string, err error) {
	src, err := openChecked(s.path(name), os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	path, err = s.writeTemp(func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
	return path, errors.Join(err, src.Close())
}

// writeTemp writes a new file under a temporary name and syncs it. On an error
// nothing of it stays.
func (s *Store) writeTemp(fill func(io.Writer) error) (string, error) {
	tmp, err := os.CreateTemp(s.dir, tempPattern)
	if err != nil {
		return "", classify(s.dir, "write a file", err)
	}
	err = fill(tmp)
	if err == nil && !s.opts.NoSync {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(classify(s.dir, "write a file", err), os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// sweepTemps removes what a killed process was still writing. Nobody else can be
// writing now: the lock is held.
func (s *Store) sweepTemps() {
	left, err := filepath.Glob(s.path(tempPattern))
	if err != nil {
		return // the pattern is a constant
	}
	for _, path := range left {
		_ = os.Remove(path) // tried again at the next start
	}
}

// syncDir makes a rename or a new name in dir durable.
func (s *Store) syncDir(dir string) error {
	if s.opts.NoSync {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return classify(s.dir, "sync the folder", err)
	}
	return classify(s.dir, "sync the folder", errors.Join(d.Sync(), d.Close()))
}
