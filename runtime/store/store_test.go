package store

import (
	"errors"
	"os"
	"testing"
)

// asErr is errors.As for a target that is a typed error.
func asErr[E error](err error, target *E) bool { return errors.As(err, target) }

func TestOpenAppendReopen(t *testing.T) {
	dir := t.TempDir() + "/state/deep"
	s := open(t, dir, Options{})
	mustAppend(t, s, "main", message("one"), message("two"))
	mustAppend(t, s, "cron:j1", message("three"))
	mustRecord(t, s, 3)
	want := mustEntries(t, s, "main")
	sessions, err := s.Sessions()
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
	rep, err := s.AuditVerify()
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
