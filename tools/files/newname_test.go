package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewFilesHavePlainNames: a folder called ~ is what somebody removes a home folder
// with, and a name with an escape sequence is told as another one. What is there already
// can still be written.
func TestNewFilesHavePlainNames(t *testing.T) {
	d := newDoor(t)
	d.File(t, "old\x1b[31m.txt", "x")
	for args, want := range map[string]string{
		`{"path":"~/x","content":"x"}`:              "begins with ~, which is no home folder here",
		`{"path":"n\u001b[31m.txt","content":"x"}`:  "holds control characters",
		`{"path":"a\nb","content":"x"}`:             "holds control characters",
		`{"path":"n\u0085.txt","content":"x"}`:      "holds control characters",
		`{"path":"old\u001b[31m.txt","content":""}`: "wrote ",
		`{"path":"a~b é.txt","content":"x"}`:        "created a~b é.txt",
	} {
		if got := d.Do(t, "write", args).Text; !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
	left, err := os.ReadDir(filepath.Clean(d.Dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if f.Name() != "old\x1b[31m.txt" && f.Name() != "a~b é.txt" && !f.IsDir() {
			t.Errorf("%q was made", f.Name())
		}
	}
}
