package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hardshell/policy/audit"
)

// stateOf is every file of a state folder with its bytes.
func stateOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// seqs are the numbers of records.
func seqs(records []audit.Line) string {
	var out []string
	for _, r := range records {
		out = append(out, fmt.Sprint(r.Seq))
	}
	return strings.Join(out, " ")
}

// halfLast cuts the last line of a segment in half and gives how much of it is left.
func halfLast(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
	left := (len(b) - start) / 2
	if err := os.Truncate(path, int64(start+left)); err != nil {
		t.Fatal(err)
	}
	return left
}

// TestItem26_HalfALastLine cuts a record that was acknowledged: with starts that write
// nothing between, the seven before it are shown for ever, the loss is named exactly, and
// no file is moved.
func TestItem26_HalfALastLine(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	mustRecord(t, s, 8)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left := halfLast(t, segmentPath(dir, 1))
	want := fmt.Sprintf("record 8 is cut: %d bytes of it are left", left)
	for start := range 3 {
		s := openBroken(t, dir)
		notice := fmt.Sprintf("record 8 is lost, but for the first %d bytes of record 8", left)
		if start == 0 && !strings.Contains(fmt.Sprint(s.Notices()), notice) {
			t.Errorf("the notice does not say what is lost: %v", s.Notices())
		}
		got, err := s.Audit.Tail(20)
		if err != nil || seqs(got) != "1 2 3 4 5 6 7" {
			t.Errorf("start %d shows %q, %v", start, seqs(got), err)
		}
		rep, err := s.Audit.Verify()
		if err != nil || rep.Count != 1 || rep.Problems[0].What != want {
			t.Errorf("start %d: %v %+v, want one problem: %s", start, err, rep.Problems, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if files := strings.Join(list(t, filepath.Join(dir, auditDir)), " "); files != segmentName(1) {
			t.Errorf("start %d leaves %s", start, files)
		}
	}
	s = openBroken(t, dir)
	mustRecord(t, s, 2)
	got, err := s.Audit.Tail(20)
	if err != nil || seqs(got) != "1 2 3 4 5 6 7 9 10" {
		t.Errorf("after two more records: %q, %v", seqs(got), err)
	}
	if rep, err := s.Audit.Verify(); err != nil || rep.Count != 1 {
		t.Errorf("after two more records: %v %+v", err, rep.Problems)
	}
}

// TestItem26_ALookMovesNothing looks at states that a start would mend: all that can be
// read is there, and every byte of the folder is as it was.
func TestItem26_ALookMovesNothing(t *testing.T) {
	junk := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("junk"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	add := func(text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			f, err := os.OpenFile(segmentPath(dir, 1), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteString(text)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil   func(*testing.T, string)
		records string
		entries int
		problem string // of verify, empty for none
		notice  string
	}{
		"whole":                       {func(*testing.T, string) {}, "1 2 3", 2, "", ""},
		"half a line behind the head": {add(`{"seq":4`), "1 2 3", 2, "", ""},
		"a foreign line":              {add("{}\n"), "1 2 3", 2, "3 bytes after record 3", ""},
		"half a last line":            {func(t *testing.T, dir string) { halfLast(t, segmentPath(dir, 1)) }, "1 2", 2, "record 3 is cut", "record 3 is lost"},
		"the file is junk":            {junk(dbName), "1 2 3", 2, "", "hardshell.db is damaged"},
		"the key is junk":             {junk(keyName), "1 2 3", 2, "", "the key of the audit can't be read"},
		"no database at all": {func(t *testing.T, dir string) {
			for _, n := range []string{dbName, snapshotName, olderName} {
				if err := os.Remove(filepath.Join(dir, n)); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
		}, "1 2 3", 0, "the head of the audit", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			mustRecord(t, s, 3)
			mustAppend(t, s, "main", message("a"), message("b"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, dir)
			before := stateOf(t, dir)
			l, err := Look(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.Audit.Tail(20)
			if err != nil || seqs(got) != c.records {
				t.Errorf("shows records %q, %v, want %q", seqs(got), err, c.records)
			}
			entries, err := l.Sessions.EntriesFrom("main", 0, 0)
			if err != nil || len(entries) != c.entries {
				t.Errorf("shows %d entries, %v, want %d", len(entries), err, c.entries)
			}
			rep, err := l.Audit.Verify()
			switch {
			case err != nil:
				t.Error(err)
			case (rep.Count == 0) != (c.problem == ""), c.problem != "" && !strings.Contains(rep.Problems[0].What, c.problem):
				t.Errorf("verify says %+v, want %q", rep.Problems, c.problem)
			}
			if !strings.Contains(fmt.Sprint(l.Notices()), c.notice) {
				t.Errorf("notices are %v, want %q", l.Notices(), c.notice)
			}
			if err := l.Audit.Record(t.Context(), recordOf("x")); !errors.Is(err, ReadOnly) {
				t.Errorf("a look keeps a record: %v", err)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			diff(t, "the folder after a look", stateOf(t, dir), before)
		})
	}
}

// TestLookBesideOthers: many may look at once, nobody while somebody writes, and a folder
// that is not there is an empty one.
func TestLookBesideOthers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	mustRecord(t, s, 1)
	if _, err := Look(dir, Options{LockWait: 1}); !errors.Is(err, Busy) {
		t.Errorf("a look beside a writer gives %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	one, err := Look(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Look(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Error(err)
	}
	none := filepath.Join(dir, "none")
	l, err := Look(none, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Audit.Tail(1)
	rep, verr := l.Audit.Verify()
	sessions, serr := l.Sessions.List()
	if len(got)+len(sessions)+rep.Count > 0 || errors.Join(err, verr, serr, l.Close()) != nil {
		t.Errorf("nothing there gives %v %v %v, %v", got, sessions, rep, errors.Join(err, verr, serr))
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("a look made a folder: %v", err)
	}
}

// TestItem26_ADroppedRecordIsNamedUntilSeen breaks an entry of a session: each start and
// each look names it, until a person has said that they know.
func TestItem26_ADroppedRecordIsNamedUntilSeen(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	mustAppend(t, s, "main", message("a"), message("b"))
	flip(t, s, seqKey(1), bucketEntries, []byte("main"))
	mustEntries(t, s, "main")
	want := s.Notices()
	if len(want) != 1 || !strings.Contains(want[0].Message, "session main, entry 1") {
		t.Fatalf("notices are %v", want)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		l, err := Look(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "notices of a look", l.Notices(), want)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, Options{})
		diff(t, "notices of a later start", s.Notices(), want)
	}
	if n, err := s.MarkSeen(); n != 1 || err != nil {
		t.Errorf("seen: %d, %v", n, err)
	}
	diff(t, "notices once it was seen", len(s.Notices()), 0)
	kept, err := s.db.keptAside()
	if err != nil || len(kept) != 1 {
		t.Errorf("what was seen is kept no longer: %v %v", kept, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	diff(t, "notices of a start after that", len(s.Notices()), 0)
}
