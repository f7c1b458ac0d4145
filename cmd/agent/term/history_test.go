package term

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistory(t *testing.T) {
	dir := t.TempDir()
	h := OpenHistory(dir, 3, nil)
	for _, s := range []string{"one", "two", "two", "", "many\nlines", "four"} {
		h.Add(s)
	}
	check := func(h *History, want ...string) {
		t.Helper()
		var got []string
		for i := range h.Len() {
			got = append(got, h.At(i))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check(h, "four", "many\nlines", "two")
	again := OpenHistory(dir, 3, nil)
	check(again, "four", "many\nlines", "two")
	for range 4 {
		again.Add("x")
		again.Add("y")
	}
	check(OpenHistory(dir, 3, nil), "y", "x", "y")
	b, err := os.ReadFile(filepath.Join(dir, historyFile))
	if err != nil || strings.Count(string(b), "\n") != 3 {
		t.Errorf("the file was not cut down: %v, %q", err, b)
	}
	if st, err := os.Stat(filepath.Join(dir, historyFile)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("others can read what was typed: %v %v", st.Mode(), err)
	}
	none := OpenHistory(dir, 0, nil)
	none.Add("secret")
	check(none)
	lost := OpenHistory(filepath.Join(dir, "missing"), 3, nil)
	lost.Add("kept in memory")
	if lost.err == nil || lost.Len() != 1 {
		t.Errorf("a folder that is not there: %v, %d", lost.err, lost.Len())
	}
	if err := os.WriteFile(filepath.Join(dir, historyFile), []byte("\"a\"\nrubbish\n\"b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(OpenHistory(dir, 3, nil), "b", "a")
}
