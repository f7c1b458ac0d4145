package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
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

// copyChecked copies a snapshot to a temporary name and sees that it is a whole
// store. Its error is a *Damaged when it is not.
func (s *Store) copyChecked(name string) (path string, err error) {
	src, err := os.Open(s.path(name))
	if err != nil {
		return "", err
	}
	path, err = s.writeTemp(func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
	if err = errors.Join(err, src.Close()); err != nil {
		return "", err
	}
	db, _, err := openBolt(path, s.opts)
	if err == nil {
		if _, err = readFormat(db); err != nil {
			err = &Damaged{Path: s.path(name), Cause: err}
		}
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

// writeTemp writes a new file under a temporary name and syncs it. On an error
// nothing of it stays.
func (s *Store) writeTemp(fill func(io.Writer) error) (string, error) {
	tmp, err := os.CreateTemp(s.dir, tempPrefix+"*")
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
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return // whatever is wrong shows with the next step
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			_ = os.Remove(s.path(e.Name())) // tried again at the next start
		}
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
