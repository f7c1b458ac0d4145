package command

import (
	"net"
	"testing"

	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// TestCommandsSeeNoDoors: a network of its own keeps a command from no process that
// listens on a path. What is left of one that is gone hides nothing.
func TestCommandsSeeNoDoors(t *testing.T) {
	d := newDoor(t)
	t.Chdir(d.Dir) // the path of a socket is short
	keep := keepingPolicy{d.Policy}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return keep } })
	d.File(t, "sub/log.txt", "x")
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
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	hidden, told := []string{d.Dir + "/sub/listens"}, "sub/listens, which is"
	if len(d.Launcher.Ran[0].Hidden) > 1 { // this kernel was built without the answer
		hidden, told = []string{d.Dir + "/gone", d.Dir + "/sub/listens"}, "gone and 1 more that are"
	}
	toolstest.Diff(t, "hidden", d.Launcher.Ran[0].Hidden, hidden)
	toolstest.Diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.Dir+"]\n[commands can't see "+told+" kept from them, nor move sub above it]")
}
