package rig

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArchive(t *testing.T) {
	got := string(archive([]entry{{"m", fs.ModeDir | 0o755, nil}, {"m/ab", 0o644, []byte("hello")}}))
	head := func(ino, mode, size, name string) string {
		zero := strings.Repeat("0", 8)
		return "070701" + ino + mode + zero + zero + "00000001" + zero + size + zero + zero + zero + zero + name + zero
	}
	// Names and contents are filled up to four bytes, the header of 110 counted.
	want := head("00000001", "000041ED", "00000000", "00000002") + "m\x00" +
		head("00000002", "000081A4", "00000005", "00000005") + "m/ab\x00\x00" + "hello\x00\x00\x00"
	want = strings.Replace(want, "m/ab\x00\x00", "m/ab\x00"+strings.Repeat("\x00", 1), 1)
	want += head("00000003", "00000000", "00000000", "0000000B") + "TRAILER!!!\x00" + "\x00\x00\x00"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("archive (-want +got):\n%s", d)
	}
}

func TestCopyTree(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, size := range map[string]int{".git/config": 1, "bin/agent": 1, "tools/testdata/a": 3, "big": most + 1, "edge": most} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	if err := copyTree(from, to); err != nil {
		t.Fatal(err)
	}
	got := map[string]fs.FileMode{}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(to, path)
		got[rel] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]fs.FileMode{"tools/testdata/a": 0o644, "edge": 0o644}, got); d != "" {
		t.Errorf("copied (-want +got):\n%s", d)
	}
}

// The plan names each binary that is built, and an ordinary user on the board's
// situation is among those who run the sandbox.
func TestPlan(t *testing.T) {
	who := map[string]bool{}
	for _, k := range kernels {
		for _, s := range k.plan().Steps {
			who[k.name+" "+s.Name] = true
			if s.Limit <= 0 || s.Limit >= int(limit.Seconds()) {
				t.Errorf("%s: limit of %d s", s.Name, s.Limit)
			}
		}
	}
	for _, want := range []string{
		"landlock root/sandbox", "landlock user/sandbox", "plain root/sandbox", "plain user/sandbox", "plain board-root/sandbox", "plain board-user/sandbox",
	} {
		if !who[want] {
			t.Errorf("nobody runs %s", want)
		}
	}
}
