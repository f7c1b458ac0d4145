package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"hardshell/policy/audit"
)

// TestAuditExport gives all segments in order and nothing else, and stops where
// it can't be written.
func TestAuditExport(t *testing.T) {
	dir := audited(t, 30)
	s := open(t, dir, Options{SegmentBytes: 1000})
	defer s.Close()
	var b bytes.Buffer
	if err := s.Audit.Export(&b); err != nil {
		t.Fatal(err)
	}
	var got, want []uint64
	for line := range bytes.Lines(b.Bytes()) {
		var r audit.Line
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, r.Seq)
	}
	for seq := range uint64(30) {
		want = append(want, seq+1)
	}
	diff(t, "exported", got, want)
	full := errors.New("the disk is full")
	room := &bounded{room: 2000, err: full}
	if err := s.Audit.Export(room); !errors.Is(err, full) {
		t.Errorf("export to a full disk: %v", err)
	}
	diff(t, "written", room.got, b.Bytes()[:2000])
}

// bounded is a disk with little room.
type bounded struct {
	room int
	err  error
	got  []byte
}

func (w *bounded) Write(p []byte) (int, error) {
	n := min(len(p), w.room-len(w.got))
	w.got = append(w.got, p[:n]...)
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}
