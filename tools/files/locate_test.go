package files

import (
	"os"
	"path/filepath"
	"testing"

	"hardshell/tools/lookup"
)

// TestNameOf_DeletedMeanwhile: a folder that is gone has no place any more, so nothing
// is judged by the name that it had.
func TestNameOf_DeletedMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sub")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := lookup.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	got, err := nameOf(f)
	if want := "the folder " + dir + " was deleted meanwhile; look again"; got != "" || err == nil || err.Error() != want {
		t.Errorf("%q, %v", got, err)
	}
}
