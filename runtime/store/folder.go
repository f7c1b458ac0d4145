package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stateDir is the state folder: where its files lie, how they are written, and
// what is to be said of it.
type stateDir struct {
	dir  string
	opts Options
	*notices
}

// path is a name inside the state folder.
func (f stateDir) path(name string) string { return filepath.Join(f.dir, name) }

// setAside renames a file that can't be used, so that somebody can still look at
// it, and gives its new name.
func (f stateDir) setAside(name, why string) (string, error) {
	stamp := f.opts.Now().UTC().Format("20060102T150405Z")
	for i := range 1000 {
		to := fmt.Sprintf("%s.%s-%s", name, why, stamp)
		if i > 0 {
			to = fmt.Sprintf("%s-%d", to, i)
		}
		if _, err := os.Lstat(f.path(to)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(f.path(name), f.path(to)); err != nil {
			return "", classify(f.dir, "set "+name+" aside", err)
		}
		return to, nil
	}
	return "", fmt.Errorf("%s holds a thousand files like %s.%s-%s already; move them away and start again", f.dir, name, why, stamp)
}

// writeTemp writes a new file under a temporary name and syncs it. On an error
// nothing of it stays.
func (f stateDir) writeTemp(fill func(io.Writer) error) (string, error) {
	tmp, err := os.CreateTemp(f.dir, tempPrefix+"*")
	if err != nil {
		return "", classify(f.dir, "write a file", err)
	}
	err = fill(tmp)
	if err == nil && !f.opts.NoSync {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(classify(f.dir, "write a file", err), os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

// sweepTemps removes what a killed process was still writing. Nobody else can be
// writing now: the lock is held.
func (f stateDir) sweepTemps() {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return // whatever is wrong shows with the next step
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			_ = os.Remove(f.path(e.Name())) // tried again at the next start
		}
	}
}

// syncDir makes a rename or a new name in dir durable.
func (f stateDir) syncDir(dir string) error {
	if f.opts.NoSync {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return classify(f.dir, "sync the folder", err)
	}
	return classify(f.dir, "sync the folder", errors.Join(d.Sync(), d.Close()))
}
