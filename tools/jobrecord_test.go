package tools

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKeptOutputIsNoLink: what is put in the place of a kept output is neither read nor
// written through.
func TestKeptOutputIsNoLink(t *testing.T) {
	y := newYard(t)
	other := filepath.Join(y.dir, "other.txt")
	if err := os.WriteFile(other, []byte("SECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(id string) {
		at := filepath.Join(y.cfg.Dir, id+".txt")
		_ = os.Remove(at)
		if err := os.Symlink(other, at); err != nil {
			t.Fatal(err)
		}
	}
	y.over(t, y.begin(t, "p1"), Exit{})
	link("p1")
	diff(t, "log", y.call(t, "process", `{"action":"log","id":"p1"}`).Text, "failed: the kept output of p1 can't be read: a link stands in its place")
	link("p2")
	y.says(t, y.begin(t, "p2"), "line\n")
	before := y.jobs
	link("p2")
	y.open(t)
	before.OnEnd(nil)
	diff(t, "after a restart", y.ledger.record(t, "p2").Last, "")
	link("p3")
	y.says(t, y.begin(t, "p3"), "line\n")
	b, err := os.ReadFile(other)
	diff(t, "other", []any{string(b), err}, []any{"SECRET\n", nil})
}
