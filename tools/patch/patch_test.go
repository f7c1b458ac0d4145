package patch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// apply parses a patch of one file and applies it.
func apply(text, old string) (string, []int, error) {
	changes, err := Parse(text)
	if err != nil {
		return "", nil, err
	}
	return changes[0].Apply(old)
}

func TestApply(t *testing.T) {
	const abc = "a\nb\nc\n"
	env := func(body string) string { return "*** Begin Patch\n*** Update File: f\n" + body + "*** End Patch\n" }
	for _, c := range []struct {
		name, patch, old, want string
		at                     []int
	}{
		{"envelope", env("@@\n a\n-b\n+B\n c\n"), abc, "a\nB\nc\n", []int{1}},
		{"no @@ before the first hunk", env(" a\n-b\n+B\n"), abc, "a\nB\nc\n", []int{1}},
		{"two hunks, out of order", env("@@\n-c\n+C\n@@\n-a\n+A\n"), abc, "A\nb\nC\n", []int{1, 3}},
		{"a line before it", env("@@ func b() {\n-x\n+y\n"), "func a() {\nx\n}\nfunc b() {\nx\n}\n", "func a() {\nx\n}\nfunc b() {\ny\n}\n", []int{5}},
		{"a line before it, closed with @@", env("@@ func b() { @@\n-x\n+y\n"), "x\nfunc b() {\nx\n", "x\nfunc b() {\ny\n", []int{3}},
		{"several lines before it", env("@@ class B\n@@ def f\n-x\n+y\n"), "class A\ndef f\nx\nclass B\ndef f\nx\n", "class A\ndef f\nx\nclass B\ndef f\ny\n", []int{6}},
		{"end of file", env("@@\n-x\n+y\n*** End of File\n"), "x\nx\n", "x\ny\n", []int{2}},
		{"an empty line without its blank", env("@@\n a\n\n-b\n+B\n"), "a\n\nb\n", "a\n\nB\n", []int{1}},
		{"empty lines before the end", env("@@\n-b\n+B\n\n\n"), abc, "a\nB\nc\n", []int{2}},
		{"a removed line of dashes", env("@@\n--- a/x\n+++ b/x\n"), "-- a/x\n", "++ b/x\n", []int{1}},
		{"line number decides", env("@@ -3,1 +3,1 @@\n-x\n+y\n"), "x\nz\nx\n", "x\nz\ny\n", []int{3}},
		{"line number is wrong and only one place fits", env("@@ -40 +40 @@ heading\n-b\n+B\n"), abc, "a\nB\nc\n", []int{2}},
		{"no newline at the end", env("@@\n b\n-c\n+d\n"), "b\nc", "b\nd", []int{1}},
		{"no newline at the end, its line removed", env("@@\n b\n-c\n"), "b\nc", "b", []int{1}},
		{"CRLF", env("@@\n a\n-b\n+B\n+BB\n"), "a\r\nb\r\nc\r\n", "a\r\nB\r\nBB\r\nc\r\n", []int{1}},
		{"CRLF, no newline at the end", env("@@\n-b\n+B\n"), "a\r\nb", "a\r\nB", []int{2}},
		{"byte order mark", env("@@\n-a\n+A\n"), bom + abc, bom + "A\nb\nc\n", []int{1}},
		{"patch in CRLF", strings.ReplaceAll(env("@@\n-b\n+B\n"), "\n", "\r\n"), abc, "a\nB\nc\n", []int{2}},
		{"move alone", env("*** Move to: g\n"), abc, abc, nil},
		{"new file", "*** Begin Patch\n*** Add File: f\n+a\n+\n+b\n\n*** End Patch", "", "a\n\nb\n", []int{1}},
		{"new empty file", "*** Begin Patch\n*** Add File: f\n*** End Patch", "", "", nil},
		{"removed", "*** Begin Patch\n*** Delete File: f\n*** End Patch", abc, "", nil},
		{"numbers as git writes them", env("@@ -1,3 +1,3 @@ heading\n a\n-b\n+B\n c\n"), abc, "a\nB\nc\n", []int{1}},
		{"numbers without counts", env("@@ -2 +2 @@\n-b\n+B\n"), abc, "a\nB\nc\n", []int{2}},
		{"a file that was empty", env("@@ -0,0 +1 @@\n+a\n"), "", "a\n", []int{1}},
		{"a removed line like a head", env("@@ -1,2 +1 @@\n--- x\n-++ y\n+z\n"), "-- x\n++ y\n", "z\n", []int{1}},
		{"newline at the end comes", env("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"), "a", "a\n", []int{1}},
		{"newline at the end goes", env("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"), "a\n", "a", []int{1}},
	} {
		got, at, err := apply(c.patch, c.old)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		same(t, c.name, []any{got, at}, []any{c.want, c.at})
	}
}

// A hunk that stands at the end of the file stands there as whole lines, behind the
// lines that it names.
func TestEndOfFileIsWholeLines(t *testing.T) {
	for old, hunk := range map[string]string{
		"xx\n": "@@\n-x\n+y\n", "ax": "@@\n-x\n+y\n", "a\nb\n": "@@ b\n-b\n+c\n", "x": "@@\n-b\n-x\n+y\n",
	} {
		got, _, err := apply("*** Begin Patch\n*** Update File: f\n"+hunk+"*** End of File\n*** End Patch\n", old)
		var m *Misfit
		if !errors.As(err, &m) {
			t.Errorf("%q became %q, %v", old, got, err)
		}
	}
}

func TestFiles(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []Change
	}{
		"envelope": {"*** Begin Patch\n*** Add File: new.txt\n+x\n*** Delete File: old.txt\n*** Update File: a b.txt\n*** Move to: c/d.txt\n@@\n-x\n+y\n*** End Patch", []Change{
			{Kind: Add, Path: "new.txt", at: 2}, {Kind: Remove, Path: "old.txt", at: 4}, {Kind: Update, Path: "a b.txt", To: "c/d.txt", at: 5},
		}},
		"names as they are": {"*** Begin Patch\n*** Update File: ä \"ü\".txt\n@@ -1 +1 @@\n-x\n+y\n*** Update File: a/b/c\n@@\n-x\n+y\n*** End Patch\n", []Change{
			{Kind: Update, Path: "ä \"ü\".txt", at: 2}, {Kind: Update, Path: "a/b/c", at: 6},
		}},
	} {
		got, err := Parse(c.patch)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range got {
			got[i].hunk = nil
		}
		if d := cmp.Diff(c.want, got, cmp.AllowUnexported(Change{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestRefused(t *testing.T) {
	env := func(body string) string { return "*** Begin Patch\n*** Update File: f\n" + body + "*** End Patch\n" }
	const diff = ` of the patch: this is a unified diff, which is not taken; write "*** Begin Patch", for each file "*** Update File: PATH" with its hunks (or "*** Add File: PATH", "*** Delete File: PATH"), and at last "*** End Patch"`
	for _, c := range []struct{ patch, old, want string }{
		{"", "", `the patch is empty; begin it with "*** Begin Patch"`},
		{"change a to b", "", `line 1 of the patch: "change a to b" begins no patch; begin it with "*** Begin Patch"`},
		{"*** Begin Patch\n*** End Patch", "", `the patch names no file; write "*** Update File: PATH" and its hunks`},
		{"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n", "", `line 6 of the patch: the patch ends without "*** End Patch"; send it whole`},
		{env("@@\n-a\n+b\n") + "more", "", `line 7 of the patch: "more" stands behind "*** End Patch"; leave it out`},
		{env("*** Replace File: g\n"), "", `line 3 of the patch: "*** Replace File: g" begins no file; write "*** Update File: PATH", "*** Add File: PATH" or "*** Delete File: PATH"`},
		{env(""), "", `line 2 of the patch: nothing happens to f; write its hunks behind that line`},
		{env("@@\nfoo\n"), "", `line 4 of the patch: "foo" begins with no mark; each line of a hunk begins with a blank (unchanged), + or -`},
		{env("@@ func\n"), "", `line 4 of the patch: hunk 1 of f holds no line; write its lines behind the @@`},
		{env("@@ -1,3 +1,3 @@\n a\n-b\n+B\n"), "a\nb\n", `line 3 of the patch: hunk 1 is announced with 3 old and 3 new lines and holds 2 and 2; correct its numbers, or write @@ alone`},
		{"*** Begin Patch\n*** Add File: f\nfoo\n*** End Patch", "", `line 3 of the patch: "foo" does not begin with +; each line of a new file does`},
		{"*** Begin Patch\n*** Add File:\n+a\n*** End Patch", "", `line 2 of the patch: "*** Add File:" names no file; write its path behind the colon`},
		{"diff --git a/f b/f\nindex 123..456 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "a\n", "line 1" + diff},
		{"\n--- f\t2026-11-30 10:00:00\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "a\n", "line 2" + diff},
		{"@@ -1 +1 @@\n-a\n+b\n", "a\n", "line 1" + diff},
		{"*** Begin Patch\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n*** End Patch\n", "a\n", `line 2 of the patch: "--- a/f" begins no file; write "*** Update File: PATH", "*** Add File: PATH" or "*** Delete File: PATH"`},
		{env("@@ -1,2 +1 @@\n-a\n"), "a\nb\n", `line 3 of the patch: hunk 1 is announced with 2 old and 1 new lines and holds 1 and 0; correct its numbers, or write @@ alone`},
		{env("@@\n+x\n"), "a\n", `hunk 1 of f (line 3 of the patch) holds added lines alone, so nothing says where they belong; take some unchanged lines around them into it`},
		{env("@@\n-a\n+b\n@@\n a\n+c\n"), "a\n", `hunk 2 of f (line 6 of the patch) touches the same lines as hunk 1; make one hunk of the two`},
		{env("@@\n a\n"), "a\n", `the patch changes nothing in f; leave it out`},
		{env("@@ gone\n-a\n+b\n"), "a\n", `hunk 1 of f (line 3 of the patch) is to stand behind the line "gone", which is not there; copy the line exactly, or write @@ alone`},
		{env("@@ x\n-a\n+b\n"), "x\nx\na\n", `hunk 1 of f (line 3 of the patch) is to stand behind the line "x", which stands 2 times; name another one behind @@, or none`},
		{env("@@\n-a\n+b\n*** End of File\n"), "a\nb\n", `hunk 1 of f (line 3 of the patch) does not stand in the file like that; read the place again and copy its lines exactly`},
		{strings.Repeat("x", maxBytes+1), "", `the patch has 262145 bytes, at most 262144 are taken; split it`},
		{"*** Begin Patch\n" + strings.Repeat("*** Delete File: f\n", maxFiles+1) + "*** End Patch", "", `the patch names 33 files, at most 32 are taken; split it`},
	} {
		_, _, err := apply(c.patch, c.old)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q on %q:\n got %v\nwant %s", c.patch, c.old, err, c.want)
		}
	}
}

// TestNearest: what does not fit is shown where it comes nearest.
func TestNearest(t *testing.T) {
	file := "package x\n\nfunc a() {\n\tone()\n\ttwo()\n}\n\nfunc b() {\n\tone()\n\ttwo()\n}\n"
	for name, c := range map[string]struct {
		hunk, old string
		want      Misfit
	}{
		"other blanks":         {"@@\n func a() {\n-  one()\n+  three()\n", file, Misfit{Line: 4, Has: "\tone()", Wants: "  one()"}},
		"one line wrong":       {"@@\n func b() {\n \tone()\n-\ttwo(2)\n+\tthree()\n", file, Misfit{Line: 10, Has: "\ttwo()", Wants: "\ttwo(2)"}},
		"first line wrong":     {"@@\n func c() {\n \tone()\n-\ttwo()\n", "x\nfunc a() {\n\tone()\n\ttwo()\n", Misfit{Line: 2, Has: "func a() {", Wants: "func c() {"}},
		"behind the end":       {"@@\n b\n-c\n+d\n", "a\nb\n", Misfit{Line: 3, Has: "", Wants: "c"}},
		"begins alike":         {"@@\n-temperature limit 85\n+x\n", "a\ntemperature limits: 85\n", Misfit{Line: 2, Has: "temperature limits: 85", Wants: "temperature limit 85"}},
		"nothing like it":      {"@@\n-zzz\n+x\n", file, Misfit{}},
		"several":              {"@@\n \tone()\n-\ttwo()\n+\tthree()\n", file, Misfit{Lines: []int{4, 9}}},
		"several, wrong line":  {"@@ -5,2 +5,2 @@\n \tone()\n-\ttwo()\n+\tthree()\n", file, Misfit{Lines: []int{4, 9}}},
		"very many":            {"@@\n-x\n+y\n", strings.Repeat("x\n", 100), Misfit{Lines: []int{1, 2, 3, 4, 5}}},
		"part of a longer one": {"@@\n-x\n+y\n", "ax\nxa\n", Misfit{Line: 2, Has: "xa", Wants: "x"}},
	} {
		_, _, err := apply("*** Begin Patch\n*** Update File: f\n"+c.hunk+"*** End Patch", c.old)
		var got *Misfit
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, name, Misfit{Line: got.Line, Has: got.Has, Wants: got.Wants, Lines: got.Lines}, c.want)
	}
}

// hunks makes the hunks between two texts with some lines of context, as diff -u does.
func hunks(a, b string, context int) string {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	if x[len(x)-1] == "" {
		x = x[:len(x)-1]
	}
	if y[len(y)-1] == "" {
		y = y[:len(y)-1]
	}
	type edit struct {
		op   byte
		text string
		i, j int
	}
	var edits []edit
	lcs := make([][]int, len(x)+1)
	for i := range lcs {
		lcs[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			if x[i] == y[j] {
				lcs[i][j] = 1 + lcs[i+1][j+1]
			}
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			edits = append(edits, edit{' ', x[i], i, j})
			i, j = i+1, j+1
		case i < len(x) && (j == len(y) || lcs[i+1][j] >= lcs[i][j+1]):
			edits = append(edits, edit{'-', x[i], i, j})
			i++
		default:
			edits = append(edits, edit{'+', y[j], i, j})
			j++
		}
	}
	out := ""
	for at := 0; at < len(edits); {
		next := slices.IndexFunc(edits[at:], func(e edit) bool { return e.op != ' ' })
		if next < 0 {
			break
		}
		from := max(at+next-context, at)
		to, last := from, at+next
		for to = last; to < len(edits) && to-last <= 2*context; to++ {
			if edits[to].op != ' ' {
				last = to
			}
		}
		to = min(last+1+context, len(edits))
		body, old, now := "", 0, 0
		for _, e := range edits[from:to] {
			body += string(e.op) + strings.TrimSuffix(e.text, "\n") + "\n"
			if !strings.HasSuffix(e.text, "\n") {
				body += "\\ No newline at end of file\n"
			}
			if e.op != '+' {
				old++
			}
			if e.op != '-' {
				now++
			}
		}
		i, j := edits[from].i+1, edits[from].j+1
		if old == 0 {
			i--
		}
		if now == 0 {
			j--
		}
		out += fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", i, old, j, now, body)
		at = to
	}
	return out
}

// texts draws texts of few different lines, so that hunks could fit in many places.
func texts(t *rapid.T, name string) string {
	words := []string{"a\n", "\n", "c\r\n", "b\n", " d\n", "-- x\n", "++ y\n", "@@ -1 +1 @@\n", "\\ z\n", "*** End Patch\n"}
	words = words[:rapid.SampledFrom([]int{1, 2, len(words)}).Draw(t, name+" words")]
	lines := rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, name)
	return strings.Join(lines, "") + rapid.SampledFrom([]string{"", "", "last", "last\r"}).Draw(t, name+" end")
}

// TestADiffAppliedToAGivesB is the one property that a patch has to have.
func TestADiffAppliedToAGivesB(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts(t, "a"), texts(t, "b")
		if rapid.Bool().Draw(t, "like a") { // few changes in much text
			lines := strings.SplitAfter(a, "\n")
			at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
			b = strings.Join(slices.Concat(lines[:at], []string{"new\n"}, lines[min(at+1, len(lines)):]), "")
		}
		if a == b {
			return
		}
		d := "*** Begin Patch\n*** Update File: f\n" + hunks(a, b, rapid.IntRange(1, 4).Draw(t, "context")) + "*** End Patch\n"
		got, _, err := apply(d, a)
		if err != nil {
			t.Fatalf("%v\n%s", err, d)
		}
		if got != b {
			t.Fatalf("a %q\nb %q\n got %q\n%s", a, b, got, d)
		}
	})
}

// TestHunksOfGit: hunks that the program git makes are understood, whatever the file is
// called.
func TestHunksOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string][2]string{
		"plain.txt": {"a\nb\n", "a\nc\n"}, "ä ü.txt": {"x\n", "y\n"}, "t\tab.txt": {"x\n", "y"}, "b/a/b.txt": {"one\n", "one\ntwo\n"},
		"quote\".txt": {"x", "y"}, "empty.txt": {"", "now\n"},
	} {
		for i, side := range []string{"a", "b"} {
			path := filepath.Join(dir, side, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(c[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), git, "diff", "--no-index", "--no-prefix", "a/"+name, "b/"+name)
		cmd.Dir = dir
		out, _ := cmd.Output() // exits 1 when there is a difference
		_, hunks, _ := strings.Cut(string(out), "\n@@")
		changes, err := Parse("*** Begin Patch\n*** Update File: " + name + "\n@@" + hunks + "*** End Patch\n")
		if err != nil || len(changes) != 1 || changes[0].Path != name {
			t.Errorf("%s: %v %+v\n%s", name, err, changes, out)
			continue
		}
		got, _, err := changes[0].Apply(c[0])
		if err != nil || got != c[1] {
			t.Errorf("%s: %q %v\n%s", name, got, err, out)
		}
	}
}

// FuzzParse: no panic; what is applied leaves every line alone that no hunk holds,
// and a patch is never larger than its bounds.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"*** Begin Patch\n*** Update File: f\n@@ a\n b\n-c\n+d\n*** End of File\n*** Add File: g\n+x\n*** Delete File: h\n*** End Patch\n",
		"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@ x\n a\n-b\n\\ No newline at end of file\n+c\n-- \n2\n",
		"*** Begin Patch\n*** Update File: f\n@@ -1,2 +1,2 @@ x\n a\n-b\n\\ No newline at end of file\n+c\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n@@ -0,0 +1 @@\n+\n*** End Patch\n", "@@", "*** Begin Patch\n\\", "*** Begin Patch\n*** Update File: f\n*** Move to: x\n@@\n@@ -9 +9 @@\n\n\n",
	} {
		f.Add(s, "a\nb\nc")
	}
	f.Fuzz(func(t *testing.T, patch, old string) {
		changes, err := Parse(patch)
		if err != nil {
			if changes != nil || err.Error() == "" {
				t.Fatalf("%q: %v with %v", patch, err, changes)
			}
			return
		}
		if len(changes) == 0 || len(changes) > maxFiles {
			t.Fatalf("%q: %d changes", patch, len(changes))
		}
		for _, c := range changes {
			if c.Path == "" || c.Kind != Add && c.Kind != Update && c.Kind != Remove || c.To != "" && c.Kind != Update {
				t.Fatalf("%q: %+v", patch, c)
			}
			now, _, err := c.Apply(old)
			if err != nil {
				continue
			}
			grows := 0
			for _, h := range c.hunk {
				before, after := h.count()
				grows += after - before
			}
			if c.Kind == Update && lines(now)-lines(old) != grows {
				t.Fatalf("%q on %q gives %q: hunks add %d lines", patch, old, now, grows)
			}
		}
	})
}

// lines counts lines, one without a newline at the end included.
func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
