package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSeveralFilesAreEachJudged: the strictest verdict on one of them decides, and
// every path is looked up.
func TestSeveralFilesAreEachJudged(t *testing.T) {
	p, w := labPolicy(t), labWorld()
	w.attended = true
	several := func(files ...File) Action {
		return Action{Tool: "write", Kind: Files(files)}
	}
	for _, c := range []struct {
		a    Action
		want Verdict
		rule string
	}{
		{several(File{Read, "a.txt"}, File{Write, "a.txt"}, File{Write, "new.txt"}), Allow, "file.workspace"},
		{several(File{Write, "a.txt"}, File{Write, "/etc/passwd"}), Deny, "builtin.outside"},
		{several(File{Write, "/etc/passwd"}, File{Write, "a.txt"}), Deny, "builtin.outside"},
		{several(File{Write, "a.txt"}, File{Write, ".git/config"}), Deny, "builtin.git"},
		{several(File{Read, "a.txt"}, File{Remove, "id_rsa"}), Deny, "builtin.secret"},
		{several(File{Remove, "a.txt"}), Allow, "file.workspace"},
		{several(File{Remove, "."}), Deny, "builtin.outside"},
		{several(File{Read, "a.txt"}, File{}), Deny, "builtin.kind"},
		{several(), Deny, "builtin.kind"},
	} {
		if d := w.decide(t, p, c.a); d.Verdict != c.want || d.Rule != c.rule {
			t.Errorf("%+v: %s by %s, want %s by %s", c.a, d.Verdict, d.Rule, c.want, c.rule)
		}
	}
	a := several(File{Read, "b"}, File{Write, "a"}, File{Remove, "b"})
	if d := cmp.Diff([]string{"a", "b"}, toLookUp(p, a).Paths); d != "" {
		t.Errorf("to look up (-want +got):\n%s", d)
	}
	if a.Digest() == several(File{Read, "b"}, File{Write, "a"}).Digest() || a.Standing() {
		t.Error("an answer must bind every file, and hold for this once")
	}
}
