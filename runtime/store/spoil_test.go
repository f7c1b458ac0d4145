package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// TestPagesThatPassAreSafe changes bytes at random and holds the page walk to its
// word: what it lets through, bbolt can read to the last byte without a fault.
func TestPagesThatPassAreSafe(t *testing.T) {
	dir := filled(t, 60)
	good, err := os.ReadFile(filepath.Join(dir, dbName))
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	passed := 0
	for range 600 {
		b := spoiled(random, good)
		if checkPages(bytes.NewReader(b), int64(len(b))) == nil {
			passed++
			readAll(t, b)
		}
	}
	t.Logf("%d of 600 spoiled files passed the walk", passed)
	if passed == 0 || passed == 600 {
		t.Error("the test proves nothing")
	}
}

// TestSpoiledStoreAlwaysStarts is what keeps a service out of a crash loop:
// whatever a few wrong bytes do to the file, the next start goes well, and so
// does everything after it.
func TestSpoiledStoreAlwaysStarts(t *testing.T) {
	dir := filled(t, 60)
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	good, err := os.ReadFile(filepath.Join(dir, dbName))
	if err != nil {
		t.Fatal(err)
	}
	for round := range 120 {
		change(t, dir, func([]byte) []byte { return spoiled(random, good) })
		if round%5 == 0 { // and the snapshot with it
			if err := os.WriteFile(filepath.Join(dir, snapshotName), spoiled(random, good), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(dir, Options{NoSync: true})
		if errors.Is(err, Newer) {
			continue // the bytes hit a version
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		useAll(t, s)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	change(t, dir, func([]byte) []byte { return good })
}

// useAll calls everything there is.
func useAll(t *testing.T, s *Store) {
	t.Helper()
	sessions, errSessions := s.Sessions.List()
	for _, info := range sessions {
		_, err := s.Sessions.EntriesFrom(info.ID, 0, 0)
		errSessions = errors.Join(errSessions, err)
	}
	_, errAside := s.db.keptAside()
	_, errValues := s.Values.List("jobs")
	_, errVerify := s.Audit.Verify()
	_, errRetain := s.Retain(t.Context(), Rules{SessionIdle: 1, Aside: 1, Keep: func(string) bool { return true }})
	for what, err := range map[string]error{
		"sessions": errSessions, "aside": errAside, "values": errValues, "verify": errVerify, "retain": errRetain,
		"append": add(s, "new", message("x")), "put": s.Values.Put("jobs", "j", 1, 1),
		"record": s.Audit.Record(t.Context(), recordOf("x")), "snapshot": s.db.snapshot(), "close": s.Close(),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// spoiled overwrites something of a file once to three times: anywhere, or in
// the header of a page.
func spoiled(random *rand.Rand, good []byte) []byte {
	b := bytes.Clone(good)
	used := int(metaOf(good).pages) * os.Getpagesize()
	for range 1 + random.IntN(3) {
		at := random.IntN(used - 64)
		switch random.IntN(4) {
		case 0:
			at = at / os.Getpagesize() * os.Getpagesize()
			b[at+random.IntN(48)] = byte(random.Uint32())
		case 1:
			order.PutUint64(b[at:], random.Uint64())
		case 2:
			clear(b[at : at+32])
		default:
			b[at] ^= 1 << random.IntN(8)
		}
	}
	return b
}

// readAll reads every key and value that bbolt finds.
func readAll(t *testing.T, b []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), dbName)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	db, _, err := openBolt(path, Options{NoSync: true}.withDefaults())
	if err != nil {
		t.Fatalf("the walk let a file through that bbolt can't open: %v", err)
	}
	err = caught(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return readBucket(b) })
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatalf("the walk let a file through that bbolt can't read: %v", err)
	}
}

// readBucket touches every byte under b, which is nil for a value at the top.
func readBucket(b *bbolt.Bucket) error {
	if b == nil {
		return nil
	}
	return b.ForEach(func(k, v []byte) error {
		_ = checksum(0, k, v)
		return readBucket(b.Bucket(k))
	})
}
