package files

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// TestReplace_FailureIsToldAndLeavesNothing breaks each step of a write: the error
// says so, the old file is whole, and no second name is left beside it.
func TestReplace_FailureIsToldAndLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		path  string
		spoil func(*testing.T, *place)
		want  string
	}{
		"the new file can't be made":   {"a.txt", func(_ *testing.T, p *place) { p.dir.Close() }, "a.txt can't be written: bad file descriptor; the old file is as it was"},
		"the name can't be looked at":  {"b.txt", func(_ *testing.T, p *place) { p.base = strings.Repeat("b", 300) }, "b.txt can't be written: file name too long; the old file is as it was"},
		"the name can't be given":      {"b.txt", func(_ *testing.T, p *place) { p.base = "" }, "b.txt can't be written: no such file or directory; the old file is as it was"},
		"a folder can't be made":       {"n/b.txt", func(_ *testing.T, p *place) { p.missing[0] = strings.Repeat("n", 300) }, "the folder " + strings.Repeat("n", 300) + " for n/b.txt can't be made: file name too long; use another folder"},
		"a link stands for the folder": {"n/b.txt", func(t *testing.T, p *place) { symlink(t, "/tmp", filepath.Join(filepath.Dir(p.abs))) }, "the folder n for n/b.txt can't be opened: not a directory; use another folder"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t)
			d.File(t, "a.txt", "old")
			at, err := d.roots.target(c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer at.Close()
			c.spoil(t, at)
			if err := at.replace([]byte("new")); err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			toolstest.Diff(t, "the old file", d.Content(t, "a.txt"), "old")
			left, err := os.ReadDir(d.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range left {
				if secondName(f.Name()) {
					t.Errorf("%s is left", f.Name())
				}
			}
		})
	}
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// TestReplace_KeepsOwnerAndMode: a file of somebody else stays theirs, its bits for
// other users included. Only root can write such a file here.
func TestReplace_KeepsOwnerAndMode(t *testing.T) {
	d := newDoor(t)
	d.File(t, "a.sh", "old")
	path, uid, gid := filepath.Join(d.Dir, "a.sh"), os.Geteuid(), os.Getegid()
	if uid == 0 {
		uid, gid = 12345, 12346
		if err := os.Chown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o750|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "outcome", d.Do(t, "write", `{"path":"a.sh","content":"new"}`).Outcome, tools.OK)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	toolstest.Diff(t, "owner and mode", []any{ok, int(st.Uid), int(st.Gid), info.Mode().Perm(), d.Content(t, "a.sh")}, []any{true, uid, gid, os.FileMode(0o750), "new"})
}
