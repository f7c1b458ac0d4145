package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Look opens the state folder dir for reading: nothing in it is made, moved,
// mended or changed, so that it works in a folder that can't be written to. What
// can be read is read; what can't is in Notices. A folder that is not there is an
// empty one. While a process writes to the folder the error is Busy; a folder that
// this user may not read is Foreign. Whatever would write gives a ReadOnly error.
func Look(dir string, opts Options) (*Store, error) {
	opts.look = true
	s, err := newStore(dir, opts)
	if err != nil {
		return nil, err
	}
	dir = s.db.dir
	if err := readable(dir); err != nil {
		return nil, err
	}
	if s.lock, err = lockToLook(dir, s.db.opts.LockWait); err != nil {
		return nil, err
	}
	if err := s.db.openToLook(); err != nil {
		return nil, errors.Join(err, s.release())
	}
	if s.Audit, err = lookAudit(s.db); err == nil {
		err = s.db.remindAside()
	}
	if err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// readable names the owner of a folder that this user may not read.
func readable(dir string) error {
	_, err := os.ReadDir(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return foreign(dir, err)
	}
	return classify(dir, "look at it", err)
}

// lockToLook keeps writers out while the folder is read. It is nil where there is
// no lock to take: nobody has written there yet, or this user may not open it.
func lockToLook(dir string, wait time.Duration) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, nil
	case err != nil:
		return nil, classify(dir, "lock it", err)
	}
	return f, waitFor(f, dir, syscall.LOCK_SH, wait)
}

// openToLook opens the file, or the newest snapshot that is whole. Where there is
// none, d has no file and reads as empty.
func (d *database) openToLook() error {
	for _, name := range []string{dbName, snapshotName, olderName} {
		err := d.attach(name)
		switch {
		case err == nil:
			if name != dbName {
				d.noteOlder(name)
			}
			return nil
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, Damaged):
			d.notice("store_damaged", fmt.Sprintf("%s is damaged (%v); nothing was changed", name, cause(err)), "start the agent: it sets a damaged file aside and restores the last snapshot")
		case errors.Is(err, fs.ErrPermission):
			return foreign(d.path(name), err)
		default:
			return err
		}
	}
	return nil
}

// noteOlder says that a snapshot is shown.
func (d *database) noteOlder(name string) {
	when := "an unknown time"
	if info, err := os.Stat(d.path(name)); err == nil {
		when = info.ModTime().UTC().Format(time.RFC3339)
	}
	d.notice("store_older", fmt.Sprintf("%s can't be read; sessions are shown as the snapshot of %s has them", dbName, when), "start the agent: it restores that snapshot, and says what is lost")
}

// lookAudit is the audit as it lies there, without what a start mends.
func lookAudit(d *database) (*Trail, error) {
	a := &Trail{marks: marks{d}, segments: segments{stateDir: d.stateDir}}
	key, err := readKey(d.path(keyName))
	switch {
	case err == nil:
		a.key = key
	case errors.Is(err, fs.ErrNotExist) && d.bolt == nil: // nothing was done here yet
	default:
		d.notice("audit_unproven", fmt.Sprintf("the key of the audit can't be read (%v): records are shown, and not proven", err), "run the command as the user that the agent runs as")
	}
	r := &recovery{marks: a.marks, segments: a.segments, key: a.key, ends: map[string]int64{}}
	if err := r.run(""); err != nil {
		return nil, err
	}
	a.head, a.found, a.segments.ends = r.head, r.found, r.ends
	return a, nil
}
