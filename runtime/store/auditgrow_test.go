package store

import (
	"context"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
)

// moved is how many bytes do reads from files and writes to them, in its own thread.
func moved(t testing.TB, do func() error) (read, written int64) {
	t.Helper()
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	r0, w0 := moves(t)
	if err := do(); err != nil {
		t.Fatal(err)
	}
	r1, w1 := moves(t)
	return r1 - r0, w1 - w0
}

// moves are the bytes that this thread has read and written so far.
func moves(t testing.TB) (read, written int64) {
	t.Helper()
	b, err := os.ReadFile("/proc/thread-self/io")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(b), "rchar: %d\nwchar: %d\n", &read, &written); err != nil {
		t.Fatalf("%v in %q", err, b)
	}
	return read, written
}

// segmentBytes is small here, so that few records already fill many segments.
const segmentBytes = 64 << 10

// recorded makes a store with n audit records.
func recorded(t testing.TB, n int) (dir string, opts Options) {
	t.Helper()
	dir, opts = t.TempDir(), Options{NoSync: true, SegmentBytes: segmentBytes}
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	r := recordOf("aplay -D hw:1 " + strings.Repeat("x", 200))
	for range n {
		if err := s.Audit.Record(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, opts
}

// TestNothingGrowsWithTheAudit counts the bytes that a start, a record and a look at
// the newest records read and write: after many records what it was after none.
func TestNothingGrowsWithTheAudit(t *testing.T) {
	type cost struct{ open, record, tail int64 }
	of := func(n int) (c cost) {
		dir, opts := recorded(t, n)
		var s *Store
		both := func(do func() error) int64 {
			read, written := moved(t, do)
			return read + written
		}
		c.open = both(func() (err error) { s, err = Open(dir, opts); return err })
		c.record = both(func() error { return s.Audit.Record(t.Context(), recordOf("aplay")) })
		c.tail = both(func() error {
			newest, err := s.Audit.Tail(20)
			if last := newest[len(newest)-1].Seq; last != uint64(n)+1 {
				t.Errorf("the newest of %d records is %d", n+1, last)
			}
			return err
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	none := of(0)
	const pages = 8 * 4096 // of the store's file, by which its free ones differ; half a segment
	for _, n := range []int{1000, 10_000} {
		c := of(n)
		if c.open > none.open+pages || c.record > none.record+pages {
			t.Errorf("%d records: %+v, none: %+v", n, c, none)
		}
		if most := int64(3 * segmentBytes); c.tail > most {
			t.Errorf("%d records: the newest 20 took %d bytes, at most %d are fine", n, c.tail, most)
		}
	}
}
