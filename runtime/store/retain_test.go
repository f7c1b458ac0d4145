package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// TestCase169_FailedCleanupKeepsNoOtherFromItsWork takes away a bucket that one
// step of the clean-up needs.
func TestCase169_FailedCleanupKeepsNoOtherFromItsWork(t *testing.T) {
	c := &clock{t0}
	s := open(t, t.TempDir(), Options{Now: c.Now})
	mustPut(t, s, "jobs", "bad", 1)
	flip(t, s, []byte("bad"), bucketValues, []byte("jobs"))
	if _, err := s.Values.List("jobs"); err != nil {
		t.Fatal(err)
	}
	s.db.withdraw("store_record_aside")
	if err := s.db.update("test", func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketSessions) }); err != nil {
		t.Fatal(err)
	}
	c.now = t0.Add(48 * time.Hour)
	rules := Rules{SessionIdle: time.Hour, Aside: time.Hour}
	did, err := s.Retain(t.Context(), rules)
	if err == nil || !strings.Contains(err.Error(), `bucket "sessions" is missing`) {
		t.Errorf("the failure is not given back: %v", err)
	}
	diff(t, "done all the same", did, Retained{Aside: 1})
	diff(t, "notices after the first failure", codes(s), []string{})
	for n := 2; n <= 3; n++ {
		if _, err := s.Retain(t.Context(), rules); err == nil {
			t.Fatal("no failure")
		}
		diff(t, "notices", codes(s), []string{"store_retain_sessions"})
		if m := s.Notices()[0].Message; !strings.Contains(m, fmt.Sprintf("failed %d times in a row", n)) {
			t.Error(m)
		}
	}
	if err := s.db.update("test", func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(bucketSessions); return err }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Retain(t.Context(), rules); err != nil {
		t.Fatal(err)
	}
	diff(t, "notices once it works", codes(s), []string{})
}

// TestMissingBucketIsMadeAtStart takes one bucket away at a time.
func TestMissingBucketIsMadeAtStart(t *testing.T) {
	for _, name := range [][]byte{bucketSessions, bucketEntries, bucketValues, bucketAside} {
		dir := t.TempDir()
		s := open(t, dir, Options{})
		mustAppend(t, s, "main", message("x"))
		if err := s.db.update("test", func(tx *bbolt.Tx) error { return tx.DeleteBucket(name) }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, Options{})
		diff(t, "notices", codes(s), []string{"store_bucket_missing"})
		mustAppend(t, s, "main", message("y"))
		if sessions, err := s.Sessions.List(); err != nil || len(sessions) != 1 {
			t.Errorf("%s: %v %v", name, sessions, err)
		}
	}
}

func TestRetainIsBounded(t *testing.T) {
	c := &clock{t0}
	s := open(t, t.TempDir(), Options{Now: c.Now, NoSync: true})
	for i := range 7 {
		mustAppend(t, s, fmt.Sprint("cron:", i), message("x"))
	}
	mustAppend(t, s, "main", message("x"))
	c.now = t0.Add(time.Hour)
	mustAppend(t, s, "cron:6", message("fresh"))
	rules := Rules{SessionIdle: time.Minute, Keep: func(id string) bool { return id == "main" }, Batch: 4}
	did, err := s.Retain(t.Context(), rules)
	diff(t, "first", []any{did, err}, []any{Retained{Sessions: 4, More: true}, nil})
	did, err = s.Retain(t.Context(), rules)
	diff(t, "second", []any{did, err}, []any{Retained{Sessions: 2}, nil})
	sessions, err := s.Sessions.List()
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, info := range sessions {
		left = append(left, info.ID)
	}
	diff(t, "left", left, []string{"cron:6", "main"})
	did, err = s.Retain(t.Context(), Rules{})
	diff(t, "no rule", []any{did, err}, []any{Retained{}, nil})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if did, err := s.Retain(ctx, Rules{SessionIdle: 1}); !errors.Is(err, context.Canceled) || did.Sessions != 0 {
		t.Error(did, err)
	}
}

func TestRetainAside(t *testing.T) {
	c := &clock{t0}
	s := open(t, t.TempDir(), Options{Now: c.Now})
	spoil := func(keys ...string) {
		for _, key := range keys {
			mustPut(t, s, "n", key, 1)
			flip(t, s, []byte(key), bucketValues, []byte("n"))
		}
		if _, err := s.Values.List("n"); err != nil {
			t.Fatal(err)
		}
	}
	spoil("a", "b", "c")
	c.now = t0.Add(time.Hour)
	spoil("d")
	rules := Rules{Aside: time.Minute, Batch: 2}
	did, err := s.Retain(t.Context(), rules)
	diff(t, "first", []any{did, err}, []any{Retained{Aside: 2, More: true}, nil})
	did, err = s.Retain(t.Context(), rules)
	diff(t, "second", []any{did, err}, []any{Retained{Aside: 1}, nil})
	aside, err := s.db.keptAside()
	if err != nil || len(aside) != 1 || aside[0].Where != "n/d" {
		t.Error(aside, err)
	}
}

// TestRetainAudit drops old segments; what is left is still proven, also after a
// kill between the two halves of a drop.
func TestRetainAudit(t *testing.T) {
	dir := audited(t, 30)
	s := open(t, dir, Options{SegmentBytes: 1000})
	second, err := os.ReadFile(segmentPath(dir, 4))
	if err != nil {
		t.Fatal(err)
	}
	did, err := s.Retain(t.Context(), Rules{AuditBytes: 4000, Batch: 2})
	diff(t, "first", []any{did, err}, []any{Retained{Segments: 2, More: true}, nil})
	if err := os.WriteFile(segmentPath(dir, 4), second, 0o600); err != nil { // the kill
		t.Fatal(err)
	}
	if rep, err := s.Audit.Verify(); err != nil || !rep.OK() {
		t.Errorf("%+v %v", rep, err)
	}
	did, err = s.Retain(t.Context(), Rules{AuditBytes: 1})
	if err != nil || did.Segments != 8 {
		t.Error(did, err)
	}
	rep, err := s.Audit.Verify()
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "report", rep, AuditReport{
		Records: 3, Segments: 1, Problems: []AuditProblem{}, Head: s.Audit.head.Chain,
		Notes: []string{"records up to 27 were dropped on purpose"},
	})
	mustRecord(t, s, 5)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openBroken(t, dir)
	diff(t, "notices", codes(s), []string{})
	// The drop is no cover for a cut: what is left must begin where it says.
	if err := os.Remove(segmentPath(dir, 28)); err != nil {
		t.Fatal(err)
	}
	if rep, err := s.Audit.Verify(); err != nil || rep.OK() {
		t.Errorf("%+v %v", rep, err)
	}
}

func TestSnapshotWhenDue(t *testing.T) {
	dir := t.TempDir()
	stamp := func() time.Time {
		t.Helper()
		info, err := os.Stat(filepath.Join(dir, snapshotName))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	s := open(t, dir, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	first := stamp()
	s = open(t, dir, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !stamp().Equal(first) {
		t.Error("a snapshot was taken although nothing changed")
	}
	s = open(t, dir, Options{})
	mustAppend(t, s, "main", message("x"))
	if err := s.db.snapshotIfDue(0); err != nil { // a large file and a young snapshot
		t.Fatal(err)
	}
	if !stamp().Equal(first) {
		t.Error("a large file was copied although the snapshot is young")
	}
	old := first.Add(-2 * snapshotAge)
	if err := os.Chtimes(filepath.Join(dir, snapshotName), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Retain(t.Context(), Rules{}); err != nil {
		t.Fatal(err)
	}
	if !stamp().After(old) {
		t.Error("no snapshot was taken although the last one is old")
	}
	taken := stamp()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !stamp().Equal(taken) {
		t.Error("the snapshot was taken twice")
	}
	// The copy is a store of its own.
	copied := t.TempDir()
	b, err := os.ReadFile(filepath.Join(dir, snapshotName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, dbName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	diff(t, "entries of the snapshot", len(mustEntries(t, open(t, copied, Options{}), "main")), 1)
}

// TestCase170_SlowReaderHoldsNothing reads a little, does nothing for a long
// while, and meanwhile 10,000 records are written. The file must not be larger
// than it is without a reader, since no read transaction waits with the reader.
func TestCase170_SlowReaderHoldsNothing(t *testing.T) {
	grow := func(follow bool) int64 {
		dir := t.TempDir()
		s := open(t, dir, Options{NoSync: true})
		mustAppend(t, s, "main", message("first"))
		if follow {
			if _, err := s.Sessions.EntriesFrom("main", 0, 10); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Audit.Tail(10); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 10_000 {
			if i%10 == 0 {
				mustAppend(t, s, "main", message("more"))
			}
			if err := s.Values.Put("facts", fmt.Sprint(i%50), 1, i); err != nil {
				t.Fatal(err)
			}
			if n := s.db.bolt.Stats().OpenTxN; n != 0 {
				t.Fatalf("%d read transactions are open", n)
			}
		}
		info, err := os.Stat(filepath.Join(dir, dbName))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	alone, followed := grow(false), grow(true)
	if followed > alone || followed > 1<<20 {
		t.Errorf("%d bytes with a slow reader, %d without", followed, alone)
	}
}
