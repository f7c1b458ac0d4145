package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// TestRestoreTakesInTheSegments loses the store, with and without a snapshot:
// the audit's files are whole, and the restore explains why the head was behind.
func TestRestoreTakesInTheSegments(t *testing.T) {
	for name, behind := range map[string]bool{"snapshot": true, "nothing": false} {
		t.Run(name, func(t *testing.T) {
			dir := audited(t, 10)
			s := open(t, dir, Options{SegmentBytes: 1000})
			mustRecord(t, s, 10)
			if err := abandon(s); err != nil {
				t.Fatal(err)
			}
			if !behind {
				remove(t, filepath.Join(dir, snapshotName))
			}
			change(t, dir, func([]byte) []byte { return nil })
			s = open(t, dir, Options{SegmentBytes: 1000})
			rep, err := s.Audit.Verify()
			if err != nil || !rep.OK() || rep.Records != 21 {
				t.Fatalf("%+v %v", rep, err)
			}
			from := "the store was restored at record 0 and 20 records were taken in from the segments"
			if behind {
				from = "the store was restored at record 10 and 10 records were taken in from the segments"
			}
			if len(rep.Notes) != 1 || !strings.HasPrefix(rep.Notes[0], from) {
				t.Errorf("notes: %q", rep.Notes)
			}
			diff(t, "notices", codes(s), []string{"store_restored"})
		})
	}
}

// TestRestoreAfterOldSegmentsWereDropped has neither store nor snapshot nor the
// beginning of the chain: it begins where the oldest segment says.
func TestRestoreAfterOldSegmentsWereDropped(t *testing.T) {
	dir := audited(t, 30)
	s := open(t, dir, Options{SegmentBytes: 1000})
	if _, err := s.Retain(t.Context(), Rules{AuditBytes: 3000}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	remove(t, filepath.Join(dir, snapshotName))
	remove(t, filepath.Join(dir, olderName))
	change(t, dir, func([]byte) []byte { return nil })
	s = openBroken(t, dir)
	mustRecord(t, s, 1)
	rep, err := s.Audit.Verify()
	if err != nil || rep.Count != 1 || !strings.Contains(rep.Problems[0].What, "are missing") {
		t.Errorf("what was dropped on purpose can't be told from what was cut, so it is told: %+v %v", rep.Problems, err)
	}
	if len(rep.Notes) != 2 {
		t.Errorf("notes: %q", rep.Notes)
	}
	if tail, err := s.Audit.Tail(1); err != nil || tail[0].Seq != 32 { // the restore is 31
		t.Errorf("%+v %v", tail, err)
	}
}

// TestSpoiledIncidentIsStillTold flips a bit in the note of an earlier incident.
func TestSpoiledIncidentIsStillTold(t *testing.T) {
	dir := audited(t, 3)
	inStore(t, dir, func(b *bbolt.Bucket) error { return b.Delete(keyHead) })
	s := openBroken(t, dir)
	flip(t, s, seqKey(1), bucketAudit, incidentsKey)
	rep, err := s.Audit.Verify()
	if err != nil || rep.Count != 2 || !strings.Contains(rep.Problems[0].What, "can't be read") {
		t.Errorf("%+v %v", rep.Problems, err)
	}
}

// TestStrayFilesInTheAuditFolder must not be taken for segments.
func TestStrayFilesInTheAuditFolder(t *testing.T) {
	dir := audited(t, 4)
	for _, name := range []string{"7.jsonl", "00000000000x.jsonl", "notes.txt", segmentName(5), segmentName(99)} {
		content := []byte("hello\n")
		if name == segmentName(5) || name == segmentName(99) { // what a kill leaves of a rotation
			content = nil
		}
		if err := os.WriteFile(filepath.Join(dir, auditDir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir, Options{SegmentBytes: 10})
	mustRecord(t, s, 2)
	diff(t, "notices", codes(s), []string{})
	rep, err := s.Audit.Verify()
	diff(t, "segments", []any{rep.Segments, rep.Records, err}, []any{4, uint64(6), nil})
}

// TestForeignSegmentIsMovedAside puts a whole segment of somebody else's behind
// the last one.
func TestForeignSegmentIsMovedAside(t *testing.T) {
	dir := audited(t, 4)
	b, err := os.ReadFile(segmentPath(audited(t, 8), 4)) // another key
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segmentPath(dir, 5), b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openBroken(t, dir)
	diff(t, "notices", codes(s), []string{"audit_foreign", "audit_incident"})
	kept, err := os.ReadFile(segmentPath(dir, 5) + ".aside-20261130T080000Z")
	if err != nil || string(kept) != string(b) {
		t.Errorf("the foreign segment is not kept as it was: %v", err)
	}
	mustRecord(t, s, 1)
	rep, err := s.Audit.Verify()
	diff(t, "report", []any{rep.Count, rep.Records, err}, []any{1, uint64(5), nil})
}

// TestCutSegmentIsLeftAsItIs goes on in a segment of its own, so that what is
// left of a cut one stays to be looked at.
func TestCutSegmentIsLeftAsItIs(t *testing.T) {
	for name, cut := range map[string]func(t *testing.T, path string){
		"cut":     func(t *testing.T, path string) { truncate(t, path, 100) },
		"removed": remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := audited(t, 5)
			cut(t, segmentPath(dir, 4))
			before := sizes(t, dir)
			s := openBroken(t, dir)
			diff(t, "notices", codes(s), []string{"audit_cut"})
			mustRecord(t, s, 2)
			after := sizes(t, dir)
			if after[segmentName(6)] == 0 {
				t.Errorf("no segment of its own: %v", after)
			}
			delete(after, segmentName(6))
			diff(t, "segments of before", after, before)
		})
	}
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// sizes lists the audit's files with their lengths.
func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for _, name := range list(t, filepath.Join(dir, auditDir)) {
		info, err := os.Stat(filepath.Join(dir, auditDir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = info.Size()
	}
	return out
}
