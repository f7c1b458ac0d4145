package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hardshell/policy/audit"
)

// smallDisk mounts a tmpfs of size bytes for this test.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size))
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skip("mounting a small tmpfs is not permitted here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk writes until nothing fits any more and gives the file to remove.
func fillDisk(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCase176_FullDiskLosesNothing fills a 1 MiB disk under an open store: what
// can't be stored is refused whole, with one clear error, and everything works
// again once there is space.
func TestCase176_FullDiskLosesNothing(t *testing.T) {
	disk := smallDisk(t, 1<<20)
	s := open(t, filepath.Join(disk, "state"), Options{})
	mustAppend(t, s, "main", message("before"))
	mustRecord(t, s, 2)
	ballast := fillDisk(t, disk)

	big := message(strings.Repeat("x", 100_000))
	stored, records := 1, 2
	var firstRecord error
	for range 200 { // what still fits into free pages is stored, and then really is
		if err := add(s, "main", big); !errors.Is(err, Full) {
			t.Fatalf("a message that can't fit: %v", err)
		}
		err := s.Audit.Record(context.Background(), audit.Line{Kind: "act", Subject: strings.Repeat("y", 400)})
		if err == nil {
			records++
			continue
		}
		if !errors.Is(err, Full) {
			t.Fatal(err)
		}
		firstRecord = err
	}
	if firstRecord == nil {
		t.Fatal("the disk never was full for the audit")
	}
	if want := "free some space on that disk and try again"; !strings.HasSuffix(firstRecord.Error(), want) {
		t.Errorf("the error does not end in what to do: %v", firstRecord)
	}
	if err := s.db.snapshot(); !errors.Is(err, Full) {
		t.Errorf("snapshot: %v", err)
	}
	if err := s.Values.Put("jobs", "j1", 1, strings.Repeat("z", 100_000)); !errors.Is(err, Full) {
		t.Errorf("put: %v", err)
	}
	check := func(when string) {
		t.Helper()
		diff(t, "entries "+when, len(mustEntries(t, s, "main")), stored)
		rep, err := s.Audit.Verify()
		if err != nil || !rep.OK() || rep.Records != uint64(records) {
			t.Errorf("audit %s: %+v %v, want %d records", when, rep, err, records)
		}
		values, err := s.Values.List("jobs")
		if err != nil || len(values) != 0 {
			t.Errorf("half a value %s: %v %v", when, values, err)
		}
		if got := strings.Join(list(t, s.db.dir), " "); strings.Contains(got, "tmp") {
			t.Errorf("half a file %s: %s", when, got)
		}
	}
	check("while full")

	// A restart on the full disk reads everything.
	if err := s.Close(); err != nil && !errors.Is(err, Full) {
		t.Fatal(err)
	}
	s = open(t, s.db.dir, Options{})
	check("after a restart while full")

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "main", big)
	mustRecord(t, s, 1)
	stored, records = stored+1, records+1
	check("with space again")
	diff(t, "notices", codes(s), []string{})
}

// TestFullDiskAtFirstStart has no room for a store at all.
func TestFullDiskAtFirstStart(t *testing.T) {
	disk := smallDisk(t, 256<<10)
	ballast := fillDisk(t, disk)
	dir := filepath.Join(disk, "state")
	if _, err := Open(dir, Options{}); !errors.Is(err, Full) {
		t.Fatalf("got %v, want full", err)
	}
	if got := strings.Join(list(t, dir), " "); got != lockName {
		t.Errorf("left behind: %s", got)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, open(t, dir, Options{}), "main", message("works"))
}

// TestRestoreOnAFullDisk must not give up the damaged file for a copy that does
// not fit.
func TestRestoreOnAFullDisk(t *testing.T) {
	disk := smallDisk(t, 4<<20)
	dir := filepath.Join(disk, "state")
	s := open(t, dir, Options{})
	mustAppend(t, s, "main", message(strings.Repeat("kept ", 50_000)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, dir, func(b []byte) []byte { clear(b[:8<<10]); return b })
	ballast := fillDisk(t, disk)
	before := list(t, dir)
	info, err := os.Stat(ballast)
	if err != nil {
		t.Fatal(err)
	}
	// No room at all, then room for a new store and not for the copy: an empty
	// store in place of a good snapshot would be a loss.
	for _, room := range []int64{0, 128 << 10} {
		if err := os.Truncate(ballast, info.Size()-room); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); !errors.Is(err, Full) {
			t.Fatalf("with %d bytes of room: got %v, want full", room, err)
		}
		diff(t, "files", list(t, dir), before)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	diff(t, "entries", len(mustEntries(t, s, "main")), 1)
}
