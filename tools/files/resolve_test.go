package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hardshell/tools/lookup"
	"hardshell/tools/toolstest"
)

// FuzzResolve: what locate gives lies beneath the root, openat2 and the walk agree,
// and follow agrees with the standard library about what exists.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"a", "a/../b", "l/x", "out/x", "abs/c", "../x", "a//b/./c", "l/../..", "up/up/c", "/etc/passwd", "gone/../a", "a/c/", "."} {
		f.Add(s)
	}
	top := f.TempDir()
	dir := filepath.Join(top, "ws")
	for _, d := range []string{"a/b", "outside"} {
		if err := os.MkdirAll(filepath.Join(dir, "..", map[bool]string{true: d, false: "ws/" + d}[d == "outside"]), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{"l": "a", "out": "../outside", "abs": dir + "/a", "a/up": "..", "up": "a/up", "loop": "loop", "gonelink": "nothing"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a/c"), nil, 0o644); err != nil {
		f.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		f.Fatal(err)
	}
	kernel, err := NewRoots(dir)
	if err != nil {
		f.Fatal(err)
	}
	byHand := &Roots{list: slices.Clone(kernel.list), open: func(int, string, uint64) (int, error) { return -1, os.ErrInvalid }}
	f.Fuzz(func(t *testing.T, path string) {
		one, err1 := kernel.locate(path)
		two, err2 := byHand.locate(path)
		if (err1 == nil) != (err2 == nil) {
			t.Fatalf("%q: openat2 says %v, the walk %v", path, err1, err2)
		}
		if err1 != nil {
			return
		}
		defer one.Close()
		defer two.Close()
		toolstest.Diff(t, path, one.facts, two.facts)
		if r := one.facts.Real; r != dir && !strings.HasPrefix(r, dir+"/") {
			t.Fatalf("%q leads to %s", path, r)
		}
		whole := path
		if !filepath.IsAbs(path) {
			whole = dir + "/" + path
		}
		if want, err := filepath.EvalSymlinks(whole); err == nil && want != one.facts.Real {
			t.Fatalf("%q is %s for the standard library and %s here", path, want, one.facts.Real)
		}
		if got, err := lookup.Follow(whole); err == nil && one.facts.Exists && got != one.facts.Real {
			t.Fatalf("%q is %s for follow and %s for locate", path, got, one.facts.Real)
		}
	})
}
