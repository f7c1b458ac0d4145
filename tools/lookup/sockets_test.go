package lookup

import (
	"net"
	"os"
	"testing"
)

// TestSocketsOfOthersAreDoors: a network of its own keeps a command from no process that
// listens on a path. What is left of one that is gone hides nothing.
func TestSocketsOfOthersAreDoors(t *testing.T) {
	d := newSpace(t)
	t.Chdir(d.dir) // the path of a socket is short
	d.file(t, "sub/log.txt", "x")
	for _, name := range []string{"sub/listens", "gone"} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		if name == "gone" {
			l.Close()
			continue
		}
		t.Cleanup(func() { l.Close() })
	}
	found, err := Look(d.dir, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	hidden := []string{d.dir + "/sub/listens"}
	if lookForDoors().all { // this kernel was built without the answer
		hidden = []string{d.dir + "/gone", d.dir + "/sub/listens"}
	}
	equal(t, "hidden", found.Hidden, hidden)
	equal(t, "pinned", found.Pinned, []string{d.dir + "/sub"})

	entries, err := os.ReadDir(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	all := doors{all: true} // a kernel that does not tell
	for _, e := range entries {
		if e.Name() == "gone" {
			equal(t, "where nobody knows, each counts", []bool{all.open(e), doors{}.open(e)}, []bool{true, false})
		}
	}
}
