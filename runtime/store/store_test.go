package store

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestOpenAppendReopen(t *testing.T) {
	dir := t.TempDir() + "/state/deep"
	s := open(t, dir, Options{})
	mustAppend(t, s, "main", message("one"), message("two"))
	mustAppend(t, s, "cron:j1", message("three"))
	mustRecord(t, s, 3)
	want := mustEntries(t, s, "main")
	sessions, err := s.Sessions.List()
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "sessions", sessions, []SessionInfo{
		{ID: "cron:j1", Created: t0, Updated: t0, Last: 1},
		{ID: "main", Created: t0, Updated: t0, Last: 2},
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	diff(t, "entries after a restart", mustEntries(t, s, "main"), want)
	diff(t, "notices", codes(s), []string{})
	rep, err := s.Audit.Verify()
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "records", rep.Records, uint64(3))
	diff(t, "files", list(t, dir), []string{"audit", "audit.key", "hardshell.db", "hardshell.db.snapshot", "hardshell.lock"})
	for _, name := range append(list(t, dir), "audit/"+segmentName(1)) {
		info, err := os.Stat(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, others can see it", name, info.Mode())
		}
	}
}

// TestResultsOutliveTheStore reads after Close what was read before: bbolt's map
// of the file is gone then.
func TestResultsOutliveTheStore(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	mustAppend(t, s, "main", message("kept"), message(strings.Repeat("x", 9000))) // too much for a bucket in place
	mustPut(t, s, "jobs", "j1", "kept")
	mustPut(t, s, "jobs", "j2", strings.Repeat("x", 9000))
	entries := mustEntries(t, s, "main")
	values, err := s.Values.List("jobs")
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	err = caught(func() error {
		diff(t, "entry", string(entries[0].Data), `{"text":"kept"}`)
		diff(t, "value", string(values[0].Data), `"kept"`)
		return nil
	})
	if err != nil {
		t.Errorf("a result points into the closed file: %v", err)
	}
}
