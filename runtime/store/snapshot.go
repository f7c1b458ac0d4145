package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// When a snapshot is due by itself: at Close while the file is small, since that
// costs a few milliseconds then, and otherwise when the last one is old.
const (
	snapshotSmall = 8 << 20          // bytes
	snapshotAge   = 10 * time.Minute // by the files' own times
)

// Snapshot copies the store as it stands, beside itself. The copy is checked
// before it replaces the one before, which is kept as the older of two.
func (s *Store) Snapshot() error {
	s.snapshots.Lock()
	defer s.snapshots.Unlock()
	s.dirty.Store(false) // what commits from here on counts for the next one
	if err := s.snapshot(); err != nil {
		s.dirty.Store(true)
		return err
	}
	return nil
}

func (s *Store) snapshot() error {
	var tmp string
	err := s.view("take a snapshot", func(tx *bbolt.Tx) (err error) {
		tmp, err = s.writeTemp(func(w io.Writer) error {
			// bbolt hands some write errors on as text; ours stays whole.
			keep := &keepError{w: w}
			_, err := tx.WriteTo(keep)
			return errors.Join(keep.err, err)
		})
		return err
	})
	if err != nil {
		return err
	}
	f, err := openChecked(tmp, os.O_RDONLY, 0)
	if err != nil {
		return errors.Join(classify(s.dir, "take a snapshot", err), os.Remove(tmp))
	}
	if err := f.Close(); err != nil {
		return errors.Join(classify(s.dir, "take a snapshot", err), os.Remove(tmp))
	}
	if err := os.Rename(s.path(snapshotName), s.path(olderName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(classify(s.dir, "take a snapshot", err), os.Remove(tmp))
	}
	if err := os.Rename(tmp, s.path(snapshotName)); err != nil {
		return errors.Join(classify(s.dir, "take a snapshot", err), os.Remove(tmp))
	}
	return s.syncDir(s.dir)
}

// snapshotIfDue takes a snapshot when something changed since the last one and
// the file is at most small bytes or the last one is old.
func (s *Store) snapshotIfDue(small int64) error {
	db, err := os.Stat(s.path(dbName))
	if err != nil {
		return classify(s.dir, "take a snapshot", err)
	}
	last, err := os.Stat(s.path(snapshotName))
	if errors.Is(err, fs.ErrNotExist) {
		return s.Snapshot()
	}
	if err != nil {
		return classify(s.dir, "take a snapshot", err)
	}
	age := db.ModTime().Sub(last.ModTime())
	if !s.dirty.Load() && age <= 0 {
		return nil
	}
	if db.Size() > small && age < snapshotAge {
		return nil
	}
	return s.Snapshot()
}

// keepError remembers the first error of a writer.
type keepError struct {
	w   io.Writer
	err error
}

func (k *keepError) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil && k.err == nil {
		k.err = err
	}
	return n, err
}
