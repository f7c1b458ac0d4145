package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// lockName is the file whose lock stands for the whole folder. It is never
// removed: a lock on a removed file would guard nothing.
const lockName = "hardshell.lock"

// lockPoll is the pause between two tries for the lock.
const lockPoll = 10 * time.Millisecond

// lock takes the folder for this process. The lock belongs to the open file, so
// it ends with the process, however that ends; the pid inside is only a name.
func lock(dir string, wait time.Duration) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, classify(dir, "lock it", err)
	}
	if err := waitFor(f, dir, syscall.LOCK_EX, wait); err != nil {
		return nil, err
	}
	// A full disk must not keep an existing store from being read: without a
	// name in it the lock still holds.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	return f, nil
}

// waitFor locks f in a way (shared, exclusive). On an error f is closed.
func waitFor(f *os.File, dir string, how int, wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return errors.Join(classify(dir, "lock it", err), f.Close())
		}
		if !time.Now().Before(deadline) {
			return errors.Join(busy(holder(f), dir), f.Close())
		}
		time.Sleep(lockPoll)
	}
}

// unlock lets the folder go. The name goes first, so that nobody reads a stale
// one.
func unlock(f *os.File) error {
	if f == nil {
		return nil
	}
	_ = f.Truncate(0) // without effect on one that was opened for reading
	return f.Close()
}

// holder reads who holds the lock; 0 when the file doesn't say.
func holder(f *os.File) int {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
