package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hardshell/policy"
)

func TestExpandWritesPathsAsAShellWould(t *testing.T) {
	d := newDoor(t)
	for _, f := range []string{"a.txt", "b.txt", ".hidden.txt", "sub/c.txt", "sub2/c.txt", "x[1].md", "weird *"} {
		d.file(t, f, "")
	}
	d.link(t, "gone", "dangling.txt")
	for pattern, want := range map[string][]string{
		"*.txt":                     {"a.txt", "b.txt", "dangling.txt"},
		"./*.txt":                   {"./a.txt", "./b.txt", "./dangling.txt"},
		".*.txt":                    {".hidden.txt"},
		"sub*/c.txt":                {"sub/c.txt", "sub2/c.txt"},
		"sub*/":                     {"sub/", "sub2/"},
		"*/c.txt":                   {"sub/c.txt", "sub2/c.txt"},
		"sub/../*.txt":              {"sub/../a.txt", "sub/../b.txt", "sub/../dangling.txt"},
		"[ab].txt":                  {"a.txt", "b.txt"},
		"[^a].txt":                  {"b.txt"},
		"?.txt":                     {"a.txt", "b.txt"},
		`x\[1\].md`:                 {"x[1].md"},
		"none*":                     {},
		"a.txt/*":                   {},
		d.dir + "/sub/*":            {d.dir + "/sub/c.txt"},
		"//" + d.dir[1:] + "/sub/*": {"//" + d.dir[1:] + "/sub/c.txt"},
	} {
		got, ok := expand(d.dir, pattern)
		diff(t, pattern, []any{ok, append([]string{}, got...)}, []any{true, want})
	}
	for _, bad := range []string{"[", "a\x00*"} {
		if _, ok := expand(d.dir, bad); ok {
			t.Errorf("%q was expanded", bad)
		}
	}
}

// rounder asks for more with each round, as policy does for patterns.
type rounder struct {
	fakePolicy
	rounds int
}

func (p *rounder) Missing(_ policy.Action, f policy.Facts) policy.Subjects {
	p.rounds++
	files, known := f.Globs["*.txt"]
	if !known {
		return policy.Subjects{Globs: []string{"*.txt"}, Programs: []string{"no-such-program"}}
	}
	var s policy.Subjects
	for _, file := range files {
		if _, ok := f.Paths[file]; !ok {
			s.Paths = append(s.Paths, file)
		}
	}
	if _, ok := f.Programs["no-such-program"]; !ok {
		s.Programs = []string{"no-such-program"} // asked for ever: it stays unknown
	}
	return s
}

func TestFactsAreLookedUpRoundByRound(t *testing.T) {
	d := newDoor(t)
	d.file(t, "a.txt", "")
	pol := &rounder{}
	d.cfg.Policy = func() Policy { return pol }
	d.call(t, "exec", `{"argv":["cat"]}`)
	f := pol.facts[0]
	diff(t, "globs", f.Globs, map[string][]string{"*.txt": {"a.txt"}})
	diff(t, "paths", f.Paths, map[string]policy.Path{"a.txt": {Abs: d.dir + "/a.txt", Real: d.dir + "/a.txt", Exists: true, Kind: "file"}})
	diff(t, "programs", f.Programs, map[string]policy.Program{})
	diff(t, "rounds", pol.rounds, 3)
}

func TestLookPath(t *testing.T) {
	d := newDoor(t)
	d.file(t, "sub/real.txt", "")
	d.link(t, "sub", "l")
	d.link(t, "/etc", "out")
	d.link(t, "self", "self")
	for path, want := range map[string]policy.Path{
		"sub/real.txt":   {Abs: d.dir + "/sub/real.txt", Real: d.dir + "/sub/real.txt", Exists: true, Kind: "file"},
		"l":              {Abs: d.dir + "/l", Real: d.dir + "/sub", Exists: true, Link: true, Kind: "dir"},
		"l/":             {Abs: d.dir + "/l", Real: d.dir + "/sub", Exists: true, Link: true, Kind: "dir"},
		"l/../x":         {Abs: d.dir + "/x", Real: d.dir + "/x"},
		"out/../x":       {Abs: d.dir + "/x", Real: "/x"}, // where the kernel goes, not where the text seems to
		"out/new/a":      {Abs: d.dir + "/out/new/a", Real: "/etc/new/a"},
		"sub/real.txt/x": {Abs: d.dir + "/sub/real.txt/x", Real: d.dir + "/sub/real.txt/x"},
		"/dev/null":      {Abs: "/dev/null", Real: "/dev/null", Exists: true, Kind: "device"},
	} {
		got, ok := lookPath(d.dir, path)
		diff(t, path, []any{ok, got}, []any{true, want})
	}
	for _, bad := range []string{"", "self", "self/x", "a\x00b", strings.Repeat("x", 5000)} {
		if got, ok := lookPath(d.dir, bad); ok {
			t.Errorf("%.20q: %+v", bad, got)
		}
	}
}

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
		diff(t, path, one.facts, two.facts)
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
		if got, err := follow(whole); err == nil && one.facts.Exists && got != one.facts.Real {
			t.Fatalf("%q is %s for follow and %s for locate", path, got, one.facts.Real)
		}
	})
}
