package lookup

import (
	"strings"
	"testing"

	"hardshell/policy"
)

func TestLookPath(t *testing.T) {
	d := newSpace(t)
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
		got, ok := Path(d.dir, path)
		equal(t, path, []any{ok, got}, []any{true, want})
	}
	for _, bad := range []string{"", "self", "self/x", "a\x00b", strings.Repeat("x", 5000)} {
		if got, ok := Path(d.dir, bad); ok {
			t.Errorf("%.20q: %+v", bad, got)
		}
	}
}
