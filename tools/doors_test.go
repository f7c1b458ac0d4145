package tools

import (
	"net"
	"testing"
)

// TestCommandsSeeNoDoors: a network of its own keeps a command from no process that
// listens on a path. What is left of one that is gone hides nothing.
func TestCommandsSeeNoDoors(t *testing.T) {
	d := newDoor(t)
	t.Chdir(d.dir) // the path of a socket is short
	keep := keepingPolicy{d.policy}
	d.cfg.Policy = func() Policy { return keep }
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
	got := d.call(t, "exec", `{"argv":["true"]}`)
	hidden, told := []string{d.dir + "/sub/listens"}, "sub/listens, which is"
	if len(d.launcher.ran[0].Hidden) > 1 { // this kernel was built without the answer
		hidden, told = []string{d.dir + "/gone", d.dir + "/sub/listens"}, "gone and 1 more that are"
	}
	diff(t, "hidden", d.launcher.ran[0].Hidden, hidden)
	diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.dir+"]\n[commands can't see "+told+" kept from them, nor move sub above it]")
}
