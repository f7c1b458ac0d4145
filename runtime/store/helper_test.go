package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"hardshell/policy/audit"
)

// t0 is when every test begins.
var t0 = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// clock gives t0 and moves only when told.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// open opens dir and, when the test ends, proves that the store is whole: bbolt's
// own check, our page walk, and the audit.
func open(t *testing.T, dir string, opts Options) *Store {
	t.Helper()
	if opts.Now == nil {
		opts.Now = (&clock{t0}).Now
	}
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatalf("open %s: %v", dir, err)
	}
	t.Cleanup(func() { checkWhole(t, s) })
	return s
}

// openBroken is open for tests that leave the audit broken on purpose.
func openBroken(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{Now: (&clock{t0}).Now})
	if err != nil {
		t.Fatalf("open %s: %v", dir, err)
	}
	t.Cleanup(func() { checkFile(t, s) })
	return s
}

func checkWhole(t *testing.T, s *Store) {
	t.Helper()
	s.db.life.RLock()
	closed := s.db.closed
	s.db.life.RUnlock()
	if !closed {
		rep, err := s.Audit.Verify()
		if err != nil || !rep.OK() {
			t.Errorf("the audit is not whole: %v %+v", err, rep.Problems)
		}
	}
	checkFile(t, s)
}

// checkFile closes the store and looks at the file it leaves.
func checkFile(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	path := s.db.path(dbName)
	db, file, err := openBolt(path, Options{}.withDefaults())
	if err != nil {
		if errors.Is(err, Busy) {
			return // a later Open of the same test holds it and checks it
		}
		t.Errorf("open %s for the check: %v", path, err)
		return
	}
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("bbolt finds in %s: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	_ = file
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func mustRecord(t *testing.T, s *Store, n int) {
	t.Helper()
	for i := range n {
		r := audit.Line{Kind: "decision", Tool: "exec", Subject: fmt.Sprintf("uptime %d", i), Verdict: "allow", Rule: "r1"}
		if err := s.Audit.Record(context.Background(), r); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
}

func message(text string) Entry {
	data, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return Entry{Kind: KindMessage, Turn: "t1", Data: data}
}

// add appends entries wherever the session stands.
func add(s *Store, session string, entries ...Entry) error {
	for {
		at, _, err := s.Sessions.Session(session)
		if err != nil {
			return err
		}
		if _, err = s.Sessions.AppendAt(session, at.Last, entries...); !errors.Is(err, Conflict) {
			return err
		}
	}
}

func mustAppend(t *testing.T, s *Store, session string, entries ...Entry) {
	t.Helper()
	if err := add(s, session, entries...); err != nil {
		t.Fatalf("append to %s: %v", session, err)
	}
}

func mustEntries(t *testing.T, s *Store, session string) []Entry {
	t.Helper()
	got, err := s.Sessions.EntriesFrom(session, 0, 0)
	if err != nil {
		t.Fatalf("entries of %s: %v", session, err)
	}
	return got
}

// codes lists what the store has to tell.
func codes(s *Store) []string {
	out := []string{}
	for _, n := range s.Notices() {
		out = append(out, n.Code)
	}
	return out
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// list names the files of a folder.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func segmentPath(dir string, first uint64) string {
	return filepath.Join(dir, auditDir, segmentName(first))
}

func recordOf(subject string) audit.Line {
	return audit.Line{Kind: "act", Tool: "exec", Subject: subject}
}

// sealMeta gives a meta page its checksum.
func sealMeta(m []byte) {
	sum := fnv.New64a()
	_, _ = sum.Write(m[:metaSize-8])
	order.PutUint64(m[metaSize-8:], sum.Sum64())
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
