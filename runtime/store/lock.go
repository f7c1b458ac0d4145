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
	deadline := time.Now().Add(wait)
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(classify(dir, "lock it", err), f.Close())
		}
		if !time.Now().Before(deadline) {
			return nil, errors.Join(busy(holder(f), dir), f.Close())
		}
		time.Sleep(lockPoll)
	}
	// A full disk must not keep an existing store from being read: without a
	// name in it the lock still holds.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	return f, nil
}

// unlock lets the folder go. The name goes first, so that nobody reads a stale
// one.
func unlock(f *os.File) error {
	_ = f.Truncate(0)
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
