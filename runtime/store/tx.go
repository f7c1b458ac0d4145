package store

import (
	"errors"
	"fmt"
	"runtime/debug"

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

// view runs fn in a read transaction. fn copies what it needs and returns: it
// waits for nobody, since an open read transaction makes the file grow.
func (s *Store) view(op string, fn func(*bbolt.Tx) error) error {
	return s.guard(op, func() error { return s.db.View(fn) })
}

// update runs fn in a write transaction. When it returns nil, what fn did is on
// the disk; otherwise none of it is.
func (s *Store) update(op string, fn func(*bbolt.Tx) error) error {
	committing := false
	err := s.guard(op, func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			committing = true
			return nil
		})
	})
	if err == nil {
		s.dirty.Store(true)
		return nil
	}
	var full *Full
	if committing && !errors.As(err, &full) {
		// The disk refused a write or a sync half way. What bbolt has in memory
		// may now be ahead of the file, so nothing more is built on it.
		s.broken.CompareAndSwap(nil, &Damaged{Path: s.path(dbName), Cause: err})
		return s.broken.Load()
	}
	return err
}

// guard turns a fault in bbolt (a page that broke under us, a read error of the
// disk) into an error and stops all further use.
func (s *Store) guard(op string, fn func() error) error {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return ErrClosed
	}
	if broken := s.broken.Load(); broken != nil {
		return broken
	}
	err := caught(fn)
	if fault, ok := err.(faultError); ok { //nolint:errorlint // caught returns it bare.
		s.broken.CompareAndSwap(nil, &Damaged{Path: s.path(dbName), Cause: fault})
		return s.broken.Load()
	}
	return classify(s.dir, op, err)
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
