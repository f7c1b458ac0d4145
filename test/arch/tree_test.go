package arch

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// house is what the top level holds beside hidden names, which are a person's
// own; bin is written by make and never kept.
var house = []string{
	"Makefile", "README.md", "assembly", "bin", "cmd", "deploy", "docs", "go.mod", "go.sum",
	"hw", "policy", "runtime", "sandbox", "test", "tools",
}

// strangers gives what lies in dir and has no place in the house.
func strangers(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var odd []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(house, e.Name()) {
			odd = append(odd, e.Name())
		}
	}
	return odd, nil
}

// programs gives the built programs below dir, from there, outside of bin.
func programs(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != dir && (d.Name() == ".git" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		var magic [4]byte
		if _, err := io.ReadFull(f, magic[:]); err == nil && (string(magic[:]) == "\x7fELF" || string(magic[:]) == "!<ar") {
			found = append(found, strings.TrimPrefix(p, dir+"/"))
		}
		return nil
	})
	return found, err
}

// The top level stays the house that the design names.
func TestTopLevelIsTheHouse(t *testing.T) {
	odd, err := strangers(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range odd {
		t.Errorf("%s lies on the top level, where the house has no place for it: move it into the folder that owns it or delete it", name)
	}
}

// A clone carries sources alone: a built program once came in with a commit and
// made it twenty times as large.
func TestNoBuiltPrograms(t *testing.T) {
	found, err := programs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		t.Errorf("%s is a built program: delete it (make writes into bin/, which is not kept)", name)
	}
}

func TestTreeRulesBite(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"agent": "\x7fELF\x02\x01", "bin/agent": "\x7fELF\x02\x01", "hw/lib.a": "!<arch>\n", "hw/x.go": "package hw", "hw/short": "\x7fE",
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if odd, err := strangers(dir); err != nil || !slices.Equal(odd, []string{"agent"}) {
		t.Errorf("strangers: %q, %v", odd, err)
	}
	if found, err := programs(dir); err != nil || !slices.Equal(found, []string{"agent", "hw/lib.a"}) {
		t.Errorf("programs: %q, %v", found, err)
	}
}
