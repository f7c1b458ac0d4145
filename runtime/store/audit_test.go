package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"hardshell/policy/audit"
)

// audited makes a closed store with n records in segments of about 1000 bytes.
func audited(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir, Options{Now: (&clock{t0}).Now, SegmentBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, n)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// editLines changes the lines of the segment that begins with record first.
func editLines(t *testing.T, dir string, first uint64, edit func([][]byte) [][]byte) {
	t.Helper()
	path := segmentPath(dir, first)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Join(edit(bytes.SplitAfter(b, []byte{'\n'})), nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inStore changes the audit's bucket behind the store's back.
func inStore(t *testing.T, dir string, edit func(*bbolt.Bucket) error) {
	t.Helper()
	db, _, err := openBolt(filepath.Join(dir, dbName), Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return edit(tx.Bucket(bucketAudit)) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAuditFindsEveryFlippedByte flips each byte of a small audit in turn while
// the store is open.
func TestAuditFindsEveryFlippedByte(t *testing.T) {
	dir := audited(t, 4)
	s := open(t, dir, Options{})
	for _, first := range []uint64{1, 4} {
		path := segmentPath(dir, first)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range good {
			for _, mask := range []byte{1, 0x20} {
				bad := bytes.Clone(good)
				bad[i] ^= mask
				if err := os.WriteFile(path, bad, 0o600); err != nil {
					t.Fatal(err)
				}
				if rep, err := s.Audit.Verify(); err != nil || rep.OK() {
					t.Fatalf("byte %d of %s ^ %#x is not found: %v\n%s", i, path, mask, err, bad)
				}
			}
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAuditFindsHeadChangedWhileOpen changes the store's head under an open store.
func TestAuditFindsHeadChangedWhileOpen(t *testing.T) {
	s := openBroken(t, audited(t, 4))
	for what, edit := range map[string]func(*bbolt.Tx) error{
		"is missing from the store":  func(tx *bbolt.Tx) error { return tx.Bucket(bucketAudit).Delete(keyHead) },
		"this process wrote up to 4": func(tx *bbolt.Tx) error { return putHead(tx, head{Seq: 2, Count: 2}) },
	} {
		if err := s.db.update("test", edit); err != nil {
			t.Fatal(err)
		}
		rep, err := s.Audit.Verify()
		if err != nil || len(rep.Problems) != 1 || !strings.Contains(rep.Problems[0].What, what) {
			t.Errorf("%s: %+v %v", what, rep, err)
		}
	}
}

// TestAuditAdoptsOneRecordAheadOfTheHead is a kill between segment and head, and
// one in the middle of a rotation.
func TestAuditAdoptsOneRecordAheadOfTheHead(t *testing.T) {
	for _, at := range []uint64{1, 29, 30, 3, 4} {
		dir := audited(t, int(at))
		inStore(t, dir, func(b *bbolt.Bucket) error {
			raw, err := sealJSON(keyHead, headAt(t, dir, at-1))
			return errors.Join(err, b.Put(keyHead, raw))
		})
		s := open(t, dir, Options{})
		diff(t, "notices", codes(s), []string{})
		mustRecord(t, s, 1)
		rep, err := s.Audit.Verify()
		if err != nil || !rep.OK() || rep.Records != at+1 {
			t.Errorf("record %d: %+v %v", at, rep, err)
		}
	}
}

// TestAuditTornLineIsSetAside leaves half a record behind the head, in the
// segment and as the beginning of the next one.
func TestAuditTornLineIsSetAside(t *testing.T) {
	half := []byte(`{"seq":31,"time":"2026-`)
	for name, path := range map[string]func(dir string) string{
		"same segment": func(dir string) string { return segmentPath(dir, 28) },
		"new segment":  func(dir string) string { return segmentPath(dir, 31) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := audited(t, 30)
			f, err := os.OpenFile(path(dir), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.Write(half)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, Options{})
			diff(t, "notices", codes(s), []string{"audit_torn"})
			kept, err := filepath.Glob(filepath.Join(dir, auditDir, "*.aside-*"))
			if err != nil || len(kept) != 1 {
				t.Fatal(kept, err)
			}
			got, err := os.ReadFile(kept[0])
			if err != nil || !bytes.Equal(got, half) {
				t.Errorf("kept %q, want %q: %v", got, half, err)
			}
			mustRecord(t, s, 1)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, Options{})
			diff(t, "notices of the next start", codes(s), []string{})
		})
	}
}

// TestAuditKeyReplaced puts another key in place, then junk, then none.
func TestAuditKeyReplaced(t *testing.T) {
	for name, content := range map[string]string{"another": strings.Repeat("ab", 32) + "\n", "junk": "junk", "none": ""} {
		t.Run(name, func(t *testing.T) {
			dir := audited(t, 3)
			path := filepath.Join(dir, keyName)
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			remove(t, path)
			if content != "" {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := openBroken(t, dir)
			mustRecord(t, s, 1)
			rep, err := s.Audit.Verify()
			if err != nil || rep.Count != 4 || !strings.Contains(rep.Problems[0].What, "the key of the audit was replaced: records up to 3") {
				t.Errorf("%+v %v", rep.Problems, err)
			}
			now, err := os.ReadFile(path)
			if err != nil || bytes.Equal(now, old) || len(now) != len(old) {
				t.Errorf("key %q: %v", now, err)
			}
		})
	}
}

// TestAuditRecordIsKeptWhateverItHolds records what JSON would change.
func TestAuditRecordIsKeptWhateverItHolds(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	zone := time.FixedZone("lab", 5400)
	for _, r := range []audit.Line{
		{Subject: "cat \xff\xfe <&>\u2028\x00", Reason: "\xed\xa0\x80", Layers: []string{"\xff"}},
		{Time: time.Date(2026, 1, 2, 3, 4, 5, 6, zone), Seq: 99, Prev: "forged", Chain: "forged"},
		{Time: time.Now()},
		{Layers: []string{}},
		{Subject: strings.Repeat("long ", 50_000)},
	} {
		if err := s.Audit.Record(dead, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Audit.Record(dead, audit.Line{Time: time.Date(12_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("a time that JSON can't hold was taken")
	}
	mustRecord(t, s, 1)
	tail, err := s.Audit.Tail(6)
	if err != nil || len(tail) != 6 {
		t.Fatal(len(tail), err)
	}
	for i, r := range tail {
		diff(t, "seq", r.Seq, uint64(i+1))
	}
	diff(t, "time", tail[1].Time, time.Date(2026, 1, 2, 1, 34, 5, 6, time.UTC))
}

func TestAuditTailAndShow(t *testing.T) {
	s := open(t, audited(t, 30), Options{SegmentBytes: 1000})
	for _, n := range []int{0, 1, 4, 29, 30, 31, maxTail} {
		tail, err := s.Audit.Tail(n)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []uint64
		for seq := max(1, 31-n); seq <= 30; seq++ {
			want = append(want, uint64(seq))
		}
		for _, r := range tail {
			got = append(got, r.Seq)
		}
		diff(t, fmt.Sprint("tail of ", n), got, want)
	}
	for _, n := range []int{-1, maxTail + 1} {
		if _, err := s.Audit.Tail(n); err == nil {
			t.Errorf("a tail of %d was given", n)
		}
	}
	for seq := range uint64(33) {
		r, ok, err := s.Audit.Show(seq)
		if err != nil || ok != (seq >= 1 && seq <= 30) || ok && r.Seq != seq {
			t.Errorf("show %d: %+v %v %v", seq, r, ok, err)
		}
	}
}

// TestAuditSegmentsStaySmall holds rotation to its size: what an append or a tail
// touches never grows with the number of records.
func TestAuditSegmentsStaySmall(t *testing.T) {
	dir := audited(t, 30)
	segs, err := segments{stateDir: stateDir{dir: dir}}.list()
	if err != nil {
		t.Fatal(err)
	}
	var first []uint64
	for _, g := range segs {
		first = append(first, g.first)
		if g.size > 1000 {
			t.Errorf("segment %s has %d bytes", g.name, g.size)
		}
	}
	diff(t, "segments", first, []uint64{1, 4, 7, 10, 13, 16, 19, 22, 25, 28})
}

// TestAuditVerifyWhileRecording proves the audit while others append to it.
func TestAuditVerifyWhileRecording(t *testing.T) {
	s := open(t, t.TempDir(), Options{NoSync: true, SegmentBytes: 5000})
	done := make(chan error)
	for range 3 {
		go func() {
			for range 100 {
				if err := s.Audit.Record(context.Background(), recordOf("x")); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for running := 3; running > 0; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running--
		default:
			if rep, err := s.Audit.Verify(); err != nil || !rep.OK() {
				t.Fatal(rep, err)
			}
			if _, err := s.Audit.Tail(20); err != nil {
				t.Fatal(err)
			}
		}
	}
	rep, err := s.Audit.Verify()
	if err != nil || rep.Records != 300 || rep.Segments < 10 {
		t.Errorf("%+v %v", rep, err)
	}
}

// TestAuditProblemsAreBounded reads an audit that is wrong from end to end.
func TestAuditProblemsAreBounded(t *testing.T) {
	dir := audited(t, 2*maxProblems)
	if err := os.WriteFile(filepath.Join(dir, keyName), []byte(strings.Repeat("cd", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openBroken(t, dir)
	rep, err := s.Audit.Verify()
	if err != nil || rep.Count != 2*maxProblems+1 || len(rep.Problems) != maxProblems {
		t.Errorf("%d problems, %d listed, %v", rep.Count, len(rep.Problems), err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestRecordThatFailsLeavesNothing has the head refuse after the segment was
// written: the caller was told that nothing was kept, so nothing may be.
func TestRecordThatFailsLeavesNothing(t *testing.T) {
	dir := audited(t, 2)
	s := open(t, dir, Options{})
	before, err := os.ReadFile(segmentPath(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.db.broken.Store(damaged(dir, errors.New("test")))
	if err := s.Audit.Record(t.Context(), recordOf("never happened")); !errors.Is(err, Damaged) {
		t.Fatalf("got %v, want damaged", err)
	}
	after, err := os.ReadFile(segmentPath(dir, 1))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the segment holds a record that was refused: %s %v", after, err)
	}
	s.db.broken.Store(nil)
	mustRecord(t, s, 1)
}
