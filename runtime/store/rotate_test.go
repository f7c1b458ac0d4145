package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFullDiskAtRotation fills the disk, record by record, while each few records begin
// a new segment: what was refused leaves nothing of itself, neither then, nor after a
// start on the full disk, nor when there is room again.
func TestFullDiskAtRotation(t *testing.T) {
	disk := smallDisk(t, 1<<20)
	opts := Options{SegmentBytes: 1500}
	s := open(t, filepath.Join(disk, "state"), opts)
	mustRecord(t, s, 10)
	ballast := fillDisk(t, disk)
	records, refused := 10, 0
	for refused < 20 {
		switch err := s.Audit.Record(t.Context(), recordOf("aplay")); {
		case err == nil:
			records++
		case errors.Is(err, Full):
			refused++
		default:
			t.Fatal(err)
		}
	}
	check := func(when string) {
		t.Helper()
		rep, err := s.Audit.Verify()
		if err != nil || !rep.OK() || rep.Records != uint64(records) || len(rep.Notes) > 0 {
			t.Errorf("%s: %+v %v, want %d records", when, rep, err, records)
		}
		tail, err := s.Audit.Tail(5)
		if err != nil || len(tail) != 5 || tail[4].Seq != uint64(records) {
			t.Errorf("%s: the newest are %+v, %v", when, tail, err)
		}
	}
	check("while full")
	if err := s.Close(); err != nil && !errors.Is(err, Full) {
		t.Fatal(err)
	}
	s = open(t, s.db.dir, opts)
	check("after a start while full")
	if err := s.Audit.Record(t.Context(), recordOf("aplay")); !errors.Is(err, Full) {
		t.Errorf("still full: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, 10)
	records += 10
	check("with room again")
	diff(t, "notices", codes(s), []string{})
}
