package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lab is a launcher over a workspace of its own.
type lab struct {
	*Launcher
	dir string
}

func newLab(t testing.TB, change ...func(*Config)) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Workspace: dir}
	for _, c := range change {
		c(&cfg)
	}
	l, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &lab{Launcher: l, dir: dir}
}

// sh runs shell text and gives its output.
func (l *lab) sh(t testing.TB, script string, change ...func(*Spec)) (string, Exit) {
	t.Helper()
	var out strings.Builder
	s := Spec{Path: real(t, "/bin/sh"), Argv: []string{"sh", "-c", script}, Timeout: 20 * time.Second, Output: func(p []byte) { out.Write(p) }}
	for _, c := range change {
		c(&s)
	}
	x, err := l.Run(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out.String(), x
}

func real(t testing.TB, path string) string {
	t.Helper()
	r, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRun(t *testing.T) {
	l := newLab(t)
	out, x := l.sh(t, "echo hello; echo oops >&2; exit 3")
	if out != "hello\noops\n" || x.Code != 3 || x.Weaker != "" {
		t.Errorf("out %q exit %+v", out, x)
	}
	t.Log(x)
}

var _ = errors.New
var _ = os.Getpid
