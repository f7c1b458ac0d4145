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

// snapshot copies the store as it stands, beside itself. The copy is checked
// before it replaces the one before, which is kept as the older of two.
func (d *database) snapshot() error {
	d.snapshots.Lock()
	defer d.snapshots.Unlock()
	d.dirty.Store(false) // what commits from here on counts for the next one
	if err := d.copyOut(); err != nil {
		d.dirty.Store(true)
		return err
	}
	return nil
}

func (d *database) copyOut() error {
	var tmp string
	err := d.view("take a snapshot", func(tx *bbolt.Tx) (err error) {
		tmp, err = d.writeTemp(func(w io.Writer) error {
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
		return errors.Join(classify(d.dir, "take a snapshot", err), os.Remove(tmp))
	}
	if err := f.Close(); err != nil {
		return errors.Join(classify(d.dir, "take a snapshot", err), os.Remove(tmp))
	}
	if err := os.Rename(d.path(snapshotName), d.path(olderName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(classify(d.dir, "take a snapshot", err), os.Remove(tmp))
	}
	if err := os.Rename(tmp, d.path(snapshotName)); err != nil {
		return errors.Join(classify(d.dir, "take a snapshot", err), os.Remove(tmp))
	}
	return d.syncDir(d.dir)
}

// snapshotIfDue takes a snapshot when something changed since the last one and
// the file is at most small bytes or the last one is old.
func (d *database) snapshotIfDue(small int64) error {
	db, err := os.Stat(d.path(dbName))
	if err != nil {
		return classify(d.dir, "take a snapshot", err)
	}
	last, err := os.Stat(d.path(snapshotName))
	if errors.Is(err, fs.ErrNotExist) {
		return d.snapshot()
	}
	if err != nil {
		return classify(d.dir, "take a snapshot", err)
	}
	age := db.ModTime().Sub(last.ModTime())
	if !d.dirty.Load() && age <= 0 {
		return nil
	}
	if db.Size() > small && age < snapshotAge {
		return nil
	}
	return d.snapshot()
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
