package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// filled makes a closed store with a snapshot, n entries in it, and then one
// entry that the snapshot does not have.
func filled(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	for i := range n {
		mustAppend(t, s, "main", message(strings.Repeat(fmt.Sprint(i, " "), 100)))
	}
	mustRecord(t, s, 2)
	if err := s.db.snapshot(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "main", message("after the snapshot"))
	mustRecord(t, s, 3)
	s.db.dirty.Store(false)
	old, err := os.Stat(filepath.Join(dir, dbName))
	if err != nil {
		t.Fatal(err)
	}
	// As a power cut would leave it: no snapshot at the end.
	if err := os.Chtimes(filepath.Join(dir, snapshotName), old.ModTime(), old.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func change(t *testing.T, dir string, edit func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, dbName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, edit(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

func metaOf(b []byte) boltMeta {
	meta, err := readMeta(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		panic(err)
	}
	return meta
}

// middlePage finds a data page in use near the middle of the file.
func middlePage(t *testing.T, b []byte) int {
	t.Helper()
	size := os.Getpagesize()
	meta := metaOf(b)
	for id := int(meta.pages) / 2; id < int(meta.pages); id++ {
		kind := order.Uint16(b[id*size+8:])
		if order.Uint64(b[id*size:]) != uint64(id) || kind != leafPage && kind != branchPage {
			continue
		}
		zeroed := bytes.Clone(b)
		clear(zeroed[id*size : (id+1)*size])
		if checkPages(bytes.NewReader(zeroed), int64(len(zeroed))) != nil {
			return id
		}
	}
	t.Fatal("no page in the middle is in use")
	return 0
}

// TestCase166_DamagedFileIsSetAsideAndSnapshotRestored zeroes the first 8 KiB,
// then one page in the middle, and also cuts the file.
func TestCase166_DamagedFileIsSetAsideAndSnapshotRestored(t *testing.T) {
	for name, edit := range map[string]func(*testing.T, []byte) []byte{
		"first 8 KiB": func(_ *testing.T, b []byte) []byte { clear(b[:8<<10]); return b },
		"middle page": func(t *testing.T, b []byte) []byte {
			at := middlePage(t, b) * os.Getpagesize()
			clear(b[at : at+os.Getpagesize()])
			return b
		},
		"cut short": func(_ *testing.T, b []byte) []byte { return b[:int(metaOf(b).pages)*os.Getpagesize()-1] },
		"free list": func(_ *testing.T, b []byte) []byte {
			at := int(metaOf(b).freelist) * os.Getpagesize()
			clear(b[at : at+os.Getpagesize()])
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filled(t, 40)
			var spoiled []byte
			change(t, dir, func(b []byte) []byte { spoiled = edit(t, b); return spoiled })
			s := open(t, dir, Options{})
			diff(t, "entries", len(mustEntries(t, s, "main")), 40)
			diff(t, "notices", codes(s), []string{"store_restored"})
			message := s.Notices()[0].Message
			aside := "hardshell.db.damaged-20261130T080000Z"
			for _, want := range []string{aside, "the snapshot of", "what was stored after it is lost"} {
				if !strings.Contains(message, want) {
					t.Errorf("the notice does not say %q: %s", want, message)
				}
			}
			kept, err := os.ReadFile(filepath.Join(dir, aside))
			if err != nil || !bytes.Equal(kept, spoiled) {
				t.Errorf("the damaged file is not kept as it was: %v", err)
			}
			// The audit's own files lost nothing, and the restore is on record.
			rep, err := s.Audit.Verify()
			if err != nil || !rep.OK() || rep.Records != 6 || len(rep.Notes) != 1 {
				t.Errorf("audit: %+v %v", rep, err)
			}
			tail, err := s.Audit.Tail(1)
			if err != nil || len(tail) != 1 || tail[0].Outcome != "restored" {
				t.Errorf("audit tail: %+v %v", tail, err)
			}
			mustAppend(t, s, "main", Entry{Kind: KindDelivered, Data: []byte(`"goes on"`)})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, Options{})
			diff(t, "notices of the next start", codes(s), []string{})
			diff(t, "entries", len(mustEntries(t, s, "main")), 41)
		})
	}
}

// TestCase167_StubOfACutCreation opens what a cut during creation leaves.
func TestCase167_StubOfACutCreation(t *testing.T) {
	for _, stub := range [][]byte{{}, bytes.Repeat([]byte{'x'}, 1000), make([]byte, 1000), make([]byte, 4096), make([]byte, 8192), make([]byte, 1<<16)} {
		t.Run(fmt.Sprint(len(stub), " bytes"), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, dbName), stub, 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, Options{})
			diff(t, "notices", codes(s), []string{"store_restored"})
			if m := s.Notices()[0].Message; !strings.Contains(m, "a new store was made") {
				t.Error(m)
			}
			kept, err := os.ReadFile(filepath.Join(dir, "hardshell.db.damaged-20261130T080000Z"))
			if err != nil || !bytes.Equal(kept, stub) {
				t.Errorf("the stub is not kept: %v", err)
			}
			mustAppend(t, s, "main", message("works"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			diff(t, "notices of the next start", codes(open(t, dir, Options{})), []string{})
		})
	}
}

// TestDamageTwiceInASecond keeps both files.
func TestDamageTwiceInASecond(t *testing.T) {
	dir := filled(t, 1)
	for range 2 {
		change(t, dir, func([]byte) []byte { return nil })
		if err := open(t, dir, Options{}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := list(t, dir)
	for _, name := range []string{"hardshell.db.damaged-20261130T080000Z", "hardshell.db.damaged-20261130T080000Z-1"} {
		if !strings.Contains(strings.Join(got, " ")+" ", name+" ") {
			t.Errorf("%s is missing in %q", name, got)
		}
	}
}

// TestDamagedSnapshotFallsBack spoils the newest snapshot too, then both.
func TestDamagedSnapshotFallsBack(t *testing.T) {
	for _, both := range []bool{false, true} {
		dir := filled(t, 3)
		s := open(t, dir, Options{})
		if err := s.db.snapshot(); err != nil { // filled's own becomes the older one
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		spoil := []string{dbName, snapshotName}
		want, notices := 3, []string{"snapshot_damaged", "store_restored"}
		if both {
			spoil = append(spoil, olderName)
			want, notices = 0, []string{"snapshot_damaged", "snapshot_damaged", "store_restored"}
		}
		for _, name := range spoil {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("junk"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s = open(t, dir, Options{})
		diff(t, "entries", len(mustEntries(t, s, "main")), want)
		diff(t, "notices", codes(s), notices)
	}
}

// TestMissingFileWithSnapshot is what a kill between the two renames of a
// restore leaves.
func TestMissingFileWithSnapshot(t *testing.T) {
	dir := filled(t, 3)
	if err := os.Remove(filepath.Join(dir, dbName)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".hardshell.tmp-123", ".hardshell.tmp-x"} { // and half a copy
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir, Options{})
	diff(t, "entries", len(mustEntries(t, s, "main")), 3)
	diff(t, "notices", codes(s), []string{"store_restored"})
	if got := strings.Join(list(t, dir), " "); strings.Contains(got, "tmp") {
		t.Errorf("half a copy is still there: %s", got)
	}
}

// TestNewerStoreIsNeverTouched raises each version that a newer program could
// raise: of the file, of its first record, of bbolt itself.
func TestNewerStoreIsNeverTouched(t *testing.T) {
	put := func(raw func() []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			db, _, err := openBolt(filepath.Join(dir, dbName), Options{}.withDefaults())
			if err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyFormat, raw()) })
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, raise := range map[string]func(*testing.T, string){
		"format": put(func() []byte {
			raw, err := sealJSON(keyFormat, format{Version: formatVersion + 1})
			if err != nil {
				panic(err)
			}
			return raw
		}),
		"record": put(func() []byte { return []byte{recordVersion + 1, 0, 0, 0, 0, 'n', 'e', 'w'} }),
		"bbolt": func(t *testing.T, dir string) {
			change(t, dir, func(b []byte) []byte {
				for _, at := range []int{0, os.Getpagesize()} {
					order.PutUint32(b[at+pageHeader+4:], boltVersion+1)
					sealMeta(b[at+pageHeader:])
				}
				return b
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filled(t, 3)
			old, err := os.ReadFile(filepath.Join(dir, dbName))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { change(t, dir, func([]byte) []byte { return old }) }) // for the check
			raise(t, dir)
			before, err := os.ReadFile(filepath.Join(dir, dbName))
			if err != nil {
				t.Fatal(err)
			}
			files := list(t, dir)
			_, err = Open(dir, Options{})
			var got *Error
			if !errors.As(err, &got) || !errors.Is(err, Newer) {
				t.Fatalf("got %v, want newer", err)
			}
			diff(t, "error", got, newer(filepath.Join(dir, dbName), formatVersion+1))
			if !strings.HasSuffix(err.Error(), "run the newer agent again or name another folder with --state") {
				t.Error(err)
			}
			after, err := os.ReadFile(filepath.Join(dir, dbName))
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was touched: %v", err)
			}
			diff(t, "files", list(t, dir), files)
		})
	}
}

// TestSnapshotOfSomethingElse is a whole bbolt file that is no store of ours.
func TestSnapshotOfSomethingElse(t *testing.T) {
	dir := filled(t, 3)
	remove(t, filepath.Join(dir, snapshotName))
	db, err := bbolt.Open(filepath.Join(dir, snapshotName), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, dir, func([]byte) []byte { return nil })
	s := open(t, dir, Options{})
	diff(t, "notices", codes(s), []string{"snapshot_damaged", "store_restored"})
	if m := s.Notices()[0].Message; !strings.Contains(m, snapshotName) {
		t.Error(m)
	}
}

// TestCommitThatFailsStopsUse has bbolt refuse a commit half way, as a disk does
// that fails: nothing more may be built on what is in memory then.
func TestCommitThatFailsStopsUse(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, "main", message("kept"))
	mustRecord(t, s, 1)
	s.db.bolt.MaxSize = 1
	for range 2 {
		if err := add(s, "main", message(strings.Repeat("lost", 100_000))); !errors.Is(err, Damaged) {
			t.Fatalf("got %v, want damaged", err)
		}
	}
	if err := s.Audit.Record(t.Context(), recordOf("x")); !errors.Is(err, Damaged) {
		t.Fatalf("got %v, want damaged", err)
	}
	_, err = s.Sessions.EntriesFrom("main", 0, 0)
	if !errors.Is(err, Damaged) {
		t.Fatalf("got %v, want damaged", err)
	}
	if !strings.HasSuffix(err.Error(), "start the agent again: it sets a damaged file aside and restores the last snapshot") {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close after a failed commit: %v", err)
	}
	s = open(t, dir, Options{})
	diff(t, "entries", len(mustEntries(t, s, "main")), 1)
	diff(t, "notices", codes(s), []string{})
}

// TestFaultInUseIsAnError cuts the file while it is mapped: reading behind its
// end is a signal that would end the process.
func TestFaultInUseIsAnError(t *testing.T) {
	dir := filled(t, 400)
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, dbName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sessions.EntriesFrom("main", 0, 0); !errors.Is(err, Damaged) {
		t.Errorf("got %v, want damaged", err)
	}
	if err := add(s, "main", message("x")); !errors.Is(err, Damaged) {
		t.Errorf("got %v, want damaged", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close after a fault: %v", err)
	}
	change(t, dir, func([]byte) []byte { return good })
	diff(t, "entries", len(mustEntries(t, open(t, dir, Options{}), "main")), 401)
}
