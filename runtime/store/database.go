package store

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// The buckets of the file. Entries holds one bucket for each session, values one
// for each namespace.
var (
	bucketMeta     = []byte("meta")
	bucketSessions = []byte("sessions")
	bucketEntries  = []byte("entries")
	bucketAudit    = []byte("audit")
	bucketValues   = []byte("values")
	bucketAside    = []byte("aside")

	buckets = [][]byte{bucketMeta, bucketSessions, bucketEntries, bucketAudit, bucketValues, bucketAside}
)

// database is the open bbolt file.
type database struct {
	stateDir
	bolt *bbolt.DB
	file *os.File // what bbolt has open; closed by hand when bbolt can't be trusted any more

	// life is held shared by every transaction and exclusively by close.
	life   sync.RWMutex
	closed bool
	broken atomic.Pointer[Error]
	dirty  atomic.Bool // something was committed since the last snapshot

	snapshots sync.Mutex // one copy at a time
}

// view runs fn in a read transaction. fn copies what it needs and returns: it
// waits for nobody, since an open read transaction makes the file grow.
func (d *database) view(op string, fn func(*bbolt.Tx) error) error {
	if d.opts.look && d.bolt == nil {
		return nil // nothing to read
	}
	return d.guard(op, func() error { return d.bolt.View(fn) })
}

// update runs fn in a write transaction. When it returns nil, what fn did is on
// the disk; otherwise none of it is.
func (d *database) update(op string, fn func(*bbolt.Tx) error) error {
	if d.opts.look {
		return onlyLooked(d.dir, op)
	}
	committing := false
	err := d.guard(op, func() error {
		return d.bolt.Update(func(tx *bbolt.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			committing = true
			return nil
		})
	})
	if err == nil {
		d.dirty.Store(true)
		return nil
	}
	if committing && !errors.Is(err, Full) {
		// The disk refused a write or a sync half way. What bbolt has in memory
		// may now be ahead of the file, so nothing more is built on it.
		d.broken.CompareAndSwap(nil, damaged(d.path(dbName), err))
		return d.broken.Load()
	}
	return err
}

// close takes a snapshot where one is due, then ends all use and calls release,
// which closes what else is open in the folder; once.
func (d *database) close(release func() error) error {
	d.life.RLock()
	closed := d.closed
	d.life.RUnlock()
	if closed {
		return nil
	}
	var errs []error
	if d.broken.Load() == nil && !d.opts.look {
		errs = append(errs, d.snapshotIfDue(snapshotSmall))
	}
	d.life.Lock()
	defer d.life.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	return errors.Join(append(errs, release())...)
}

// release closes the file.
func (d *database) release() error {
	if d.bolt != nil && d.broken.Load() == nil {
		return d.bolt.Close()
	}
	// After a fault bbolt may hold its own locks for ever.
	return letGo(d.file)
}

// guard turns a fault in bbolt (a page that broke under us, a read error of the
// disk) into an error and stops all further use.
func (d *database) guard(op string, fn func() error) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return errClosed
	}
	if broken := d.broken.Load(); broken != nil {
		return broken
	}
	err := caught(fn)
	if fault, ok := err.(faultError); ok { //nolint:errorlint // caught returns it bare.
		d.broken.CompareAndSwap(nil, damaged(d.path(dbName), fault))
		return d.broken.Load()
	}
	return classify(d.dir, op, err)
}

// faultError is a panic of bbolt or a memory fault in its map.
type faultError struct{ what string }

func (e faultError) Error() string { return e.what }

// caught runs fn and gives its panic, or the signal of a page that could not be
// read, as an error.
func caught(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = faultError{fmt.Sprint(r)}
		}
	}()
	return fn()
}

// bucket gives a top bucket that must be there.
func bucket(tx *bbolt.Tx, name []byte) (*bbolt.Bucket, error) {
	b := tx.Bucket(name)
	if b == nil {
		return nil, fmt.Errorf("bucket %q is missing", name)
	}
	return b, nil
}
