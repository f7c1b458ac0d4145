package argv

import "testing"

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b", false},
		{"/a/*", "/a/b", true},
		{"/a/*", "/a/b/c", false},
		{"/a/*", "/a", false},
		{"/a/**", "/a", true},
		{"/a/**", "/a/b/c", true},
		{"/a/**", "/ab", false},
		{"**/.ssh/**", "/home/x/.ssh", true},
		{"**/.ssh/**", "/home/x/.ssh/id", true},
		{"**/.ssh/**", "/home/x/.sshd", false},
		{"/a/**/c", "/a/c", true},
		{"/a/**/c", "/a/b/b/c", true},
		{"/a/**/c", "/a/b", false},
		{"**", "x", true},
		{"/a[bc]", "/ab", true},
		{"/a[bc]", "/ad", false},
		{"/", "/", true},
		{"/", "/a", false},
		{"notes/*.md", "notes/a.md", true},
		{"**/x*", "x1", true},
		{"**/x*", "a/b/x1", true},
		{"", "", true},
	} {
		g := CompileGlob(tt.pattern)
		if got := g.Match(tt.path); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.path, got)
		}
	}
}
