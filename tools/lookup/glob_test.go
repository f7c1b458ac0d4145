package lookup

import "testing"

func TestExpandWritesPathsAsAShellWould(t *testing.T) {
	d := newSpace(t)
	for _, f := range []string{"a.txt", "b.txt", ".hidden.txt", "sub/c.txt", "sub2/c.txt", "x[1].md", "weird *"} {
		d.file(t, f, "")
	}
	d.link(t, "gone", "dangling.txt")
	for pattern, want := range map[string][]string{
		"*.txt":                     {"a.txt", "b.txt", "dangling.txt"},
		"./*.txt":                   {"./a.txt", "./b.txt", "./dangling.txt"},
		".*.txt":                    {".hidden.txt"},
		"sub*/c.txt":                {"sub/c.txt", "sub2/c.txt"},
		"sub*/":                     {"sub/", "sub2/"},
		"*/c.txt":                   {"sub/c.txt", "sub2/c.txt"},
		"sub/../*.txt":              {"sub/../a.txt", "sub/../b.txt", "sub/../dangling.txt"},
		"[ab].txt":                  {"a.txt", "b.txt"},
		"[^a].txt":                  {"b.txt"},
		"?.txt":                     {"a.txt", "b.txt"},
		`x\[1\].md`:                 {"x[1].md"},
		"none*":                     {},
		"a.txt/*":                   {},
		d.dir + "/sub/*":            {d.dir + "/sub/c.txt"},
		"//" + d.dir[1:] + "/sub/*": {"//" + d.dir[1:] + "/sub/c.txt"},
	} {
		got, ok := Glob(d.dir, pattern)
		equal(t, pattern, []any{ok, append([]string{}, got...)}, []any{true, want})
	}
	for _, bad := range []string{"[", "a\x00*"} {
		if _, ok := Glob(d.dir, bad); ok {
			t.Errorf("%q was expanded", bad)
		}
	}
}
