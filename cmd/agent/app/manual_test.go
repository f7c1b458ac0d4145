package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hardshell/docs"
)

func TestManualIsExactlyThisVersions(t *testing.T) {
	m := manualOf(filepath.Join(t.TempDir(), "state"))
	if err := m.lay(); err != nil {
		t.Fatal(err)
	}
	stale, changed := filepath.Join(m.docs, "old.md"), filepath.Join(m.docs, "commands.md")
	for _, err := range []error{
		os.WriteFile(stale, []byte("of another version"), 0o644),
		os.WriteFile(changed, []byte("tampered"), 0o644),
		os.MkdirAll(filepath.Join(m.skills, "gone", "deep"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.lay(); err != nil {
		t.Fatal(err)
	}
	want, err := fs.ReadFile(docs.Pages, "commands.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(changed); err != nil || string(got) != string(want) {
		t.Errorf("a tampered page stays: %v", err)
	}
	for _, at := range []string{stale, filepath.Join(m.skills, "gone")} {
		if _, err := os.Lstat(at); !os.IsNotExist(err) {
			t.Errorf("%s stays: %v", at, err)
		}
	}
	if _, err := os.Stat(filepath.Join(m.skills, "log-summary", "SKILL.md")); err != nil {
		t.Error(err)
	}
}
