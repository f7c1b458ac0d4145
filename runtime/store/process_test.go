package store

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const nobody = 65534

func TestTwoProcessesAtOnce(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "hold", dir, 0)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "holding\n" {
		t.Fatal(line, err)
	}
	_, err = Open(dir, Options{LockWait: 20 * time.Millisecond})
	var got *Error
	if !errors.As(err, &got) || !errors.Is(err, Busy) {
		t.Fatalf("got %v, want busy", err)
	}
	diff(t, "busy", got, busy(cmd.Process.Pid, dir))
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	open(t, dir, Options{})
}

// TestHolderIsNotAlwaysKnown locks the folder as somebody would who writes no
// name, or nonsense, into the lock.
func TestHolderIsNotAlwaysKnown(t *testing.T) {
	for _, content := range []string{"", "soon", "-4", strings.Repeat("9", 100)} {
		dir := t.TempDir()
		f, err := lock(dir, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, lockName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = Open(dir, Options{LockWait: time.Millisecond})
		var got *Error
		if !errors.As(err, &got) || !errors.Is(err, Busy) || got.PID != 0 {
			t.Errorf("%q: got %v", content, err)
		}
		if err := unlock(f); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLockOutlivesNoProcess leaves a name behind, as a kill does.
func TestLockOutlivesNoProcess(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, lockName), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, Options{})
}

// TestBoltLockIsRespected holds only the file, as a bbolt tool does.
func TestBoltLockIsRespected(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	mustAppend(t, s, "main", message("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, _, err := openBolt(filepath.Join(dir, dbName), Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	var got *Error
	if _, err := Open(dir, Options{LockWait: 60 * time.Millisecond}); !errors.As(err, &got) || !errors.Is(err, Busy) {
		t.Errorf("got %v, want busy", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	diff(t, "entries", len(mustEntries(t, s, "main")), 1)
}

// TestReadOnlyFolder opens as an ordinary user what that user may not write to.
func TestReadOnlyFolder(t *testing.T) {
	base, err := os.MkdirTemp("", "store-ro-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	filled := filepath.Join(base, "filled")
	s := open(t, filled, Options{})
	mustAppend(t, s, "main", message("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Theirs, but the folder itself gives nobody the right to write.
	for _, name := range append(list(t, filled), ".", "audit") {
		if err := os.Chown(filepath.Join(filled, name), nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filled, 0o500); err != nil {
		t.Fatal(err)
	}
	before := list(t, filled)
	for name, dir := range map[string]string{"no parent": filepath.Join(base, "x", "state"), "existing": base, "own and read-only": filled} {
		out, err := child(t, "open", dir, nobody).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		if !strings.HasPrefix(string(out), "store_read_only: ") || !strings.Contains(string(out), "name another one with --state") {
			t.Errorf("%s: the user reads: %s", name, out)
		}
	}
	diff(t, "files", list(t, filled), before)
	if err := os.Chmod(filled, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := child(t, "open", filled, nobody).CombinedOutput()
	if string(out) != "opened\n" {
		t.Errorf("with the right mode the user reads: %s %v", out, err)
	}
}

func TestStateFolderIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{path, path + "/below"} {
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "state") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestFolderNamesMeanNothing opens a folder whose name looks like a pattern.
func TestFolderNamesMeanNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "st[a*t e")
	s := open(t, dir, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, tempPrefix+"9")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, Options{})
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a file of a killed process is still there: %v", err)
	}
}

func TestUseAfterClose(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, tail := s.Audit.Tail(1)
	_, entries := s.Sessions.EntriesFrom("main", 0, 0)
	for what, err := range map[string]error{
		"append": add(s, "main", message("a")), "entries": entries, "put": s.Values.Put("a", "b", 1, 1),
		"record": s.Audit.append(recordOf("x")), "snapshot": s.db.snapshot(),
	} {
		if !errors.Is(err, errClosed) {
			t.Errorf("%s after close: %v", what, err)
		}
	}
	if tail != nil {
		t.Errorf("reading the audit files needs no open store: %v", tail)
	}
}
