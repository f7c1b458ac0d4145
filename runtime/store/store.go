package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hardshell/runtime/event"
)

// Names in the state folder.
const (
	dbName       = "hardshell.db"
	snapshotName = "hardshell.db.snapshot"
	olderName    = "hardshell.db.snapshot.older"
	auditDir     = "audit"
	keyName      = "audit.key"
	tempPrefix   = ".hardshell.tmp-"
)

// Options are the knobs of Open. The zero value is what a daemon wants.
type Options struct {
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// LockWait is how long another holder of the folder is waited for: long
	// enough for a command that is just ending. Default 300 ms.
	LockWait time.Duration
	// SegmentBytes is the size at which an audit segment is closed and the next
	// one begun. Default 4 MiB.
	SegmentBytes int64
	// NoSync leaves out every fsync: for tests of others that need speed and no
	// durability.
	NoSync bool

	look bool // the folder is only looked at, see Look
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.LockWait == 0 {
		o.LockWait = 300 * time.Millisecond
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = 4 << 20
	}
	return o
}

// Store is the open state folder. Its methods may be called from any goroutine.
type Store struct {
	Sessions *Sessions
	Values   *Values
	Audit    *Trail

	db   *database
	lock *os.File

	mu      sync.Mutex
	failing map[string]int // clean-up step → failures in a row
}

// Open takes the state folder dir for this process, making it where it is
// missing. A damaged file is set aside and the last snapshot restored; whatever
// a person should know of that is in Notices. The kinds of error are Busy, Newer,
// Full, ReadOnly and Damaged.
func Open(dir string, opts Options) (*Store, error) {
	s, err := newStore(dir, opts)
	if err != nil {
		return nil, err
	}
	if err := Writable(s.db.dir); err != nil {
		return nil, err
	}
	if err := makeDir(s.db.dir); err != nil {
		return nil, err
	}
	if s.lock, err = lock(s.db.dir, s.db.opts.LockWait); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// newStore has everything of a Store that needs no file.
func newStore(dir string, opts Options) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("state folder %q: %w; name an absolute one with --state", dir, err)
	}
	db := &database{stateDir: stateDir{dir: abs, opts: opts.withDefaults(), notices: &notices{}}}
	return &Store{Sessions: &Sessions{db}, Values: &Values{db}, db: db, failing: map[string]int{}}, nil
}

// start opens what is in the folder. The lock is held.
func (s *Store) start() error {
	s.db.sweepTemps()
	lost, err := s.db.open()
	if err != nil {
		return err
	}
	if s.Audit, err = openAudit(s.db, lost); err != nil {
		return err
	}
	if err := s.db.remindAside(); err != nil {
		return err
	}
	if lost != "" {
		// The notice says it to the person now; the record to whoever asks later.
		return s.Audit.noteLoss(lost)
	}
	return nil
}

// Notices is what a person should know of the store: what was repaired, set
// aside or restored since it was opened, oldest first, and which clean-up keeps
// failing.
func (s *Store) Notices() []event.Notice { return s.db.all() }

// Close takes a snapshot where one is due and lets the folder go. A snapshot
// that can't be taken is an error and no reason to keep the folder.
func (s *Store) Close() error { return s.db.close(s.release) }

// release gives everything back, in the order that keeps the lock longest.
func (s *Store) release() error {
	var errs []error
	if s.Audit != nil {
		errs = append(errs, s.Audit.close())
	}
	return errors.Join(append(errs, s.db.release(), unlock(s.lock))...)
}

// makeDir makes the state folder, for its owner alone, and sees that it can be
// written to.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return classify(dir, "make the state folder", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return classify(dir, "look at it", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder; name another one with --state", dir)
	}
	return nil
}
