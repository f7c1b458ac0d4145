package jetson

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTreeReadsFiles(t *testing.T) {
	dir := t.TempDir()
	long := bytes.Repeat([]byte("0123456789"), 10_000)
	for name, data := range map[string][]byte{"short": []byte("46000\n"), "empty": nil, "long": long} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"short": "46000\n", "empty": "", "long": string(long[:mostBytes])} {
		got, err := fs.ReadFile(Tree(dir), name)
		if d := cmp.Diff(want, string(got)); d != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	list, err := fs.ReadDir(Tree(dir), ".")
	if len(list) != 3 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func TestTreeErrors(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]error{"gone": fs.ErrNotExist, "../etc/passwd": fs.ErrInvalid, "/etc/passwd": fs.ErrInvalid, ".": syscall.EISDIR} {
		if _, err := fs.ReadFile(Tree(dir), name); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// A real file that blocks, and the EAGAIN of a real system call: a pipe whose
// other end nobody opens, and one that has nothing to say yet.
func TestCase160_RealBlockingFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "temp")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, err := fs.ReadFile(Tree(dir), "temp")
		if err != nil {
			b = []byte(err.Error())
		}
		got <- string(b)
	}()
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the reader is there
	if err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-got:
		t.Errorf("read %q before anything was written", text)
	default:
	}
	if _, err := w.WriteString("46000\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("46000\n", <-got); d != "" {
		t.Error(d)
	}
}

// A descriptor that would block answers EAGAIN at once, and does not go to the
// poller to wait.
func TestCase160_AgainIsAnAnswer(t *testing.T) {
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_NONBLOCK|syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(p[0])
	defer syscall.Close(p[1])
	_, err := again(func() (int, error) { return syscall.Read(p[0], make([]byte, 8)) })
	if d := cmp.Diff("offline: its block is switched off", why(&fs.PathError{Op: "read", Path: "temp", Err: err})); d != "" {
		t.Error(d)
	}
	calls := 0
	n, err := again(func() (int, error) {
		if calls++; calls < 3 {
			return -1, syscall.EINTR
		}
		return 7, nil
	})
	if d := cmp.Diff([]any{7, error(nil), 3}, []any{n, err, calls}); d != "" {
		t.Error(d)
	}
}
