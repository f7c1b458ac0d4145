package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/test/arch/measure"
)

// again says how the page and the map are made.
const again = "go run ./test/arch/table -update writes it anew"

// TestTable prints the measures of the tree, and holds the page to them.
func TestTable(t *testing.T) {
	rows := typed(t).Table()
	for _, r := range rows {
		t.Logf("%s:\n\t%s", r.What, r.Now)
	}
	for _, s := range measure.Stale(read(t, measure.Page), rows) {
		t.Errorf("%s; %s", s, again)
	}
}

// TestMapIsDrawn holds that the map has the packages and arrows that there are.
func TestMapIsDrawn(t *testing.T) {
	if read(t, measure.Map) != typed(t).Draw() {
		t.Errorf("%s is not the tree as it is; %s", measure.Map, again)
	}
}

// place is a file or folder that the page for developers names.
var place = regexp.MustCompile("`((?:assembly|cmd|deploy|docs|hw|policy|runtime|sandbox|test|tools)/[\\w./-]*)`")

// The page for developers sends nobody to a file that is not there. The table names
// what was there before, too.
func TestDevelopPageNamesWhatIsThere(t *testing.T) {
	named := 0
	for line := range strings.Lines(read(t, measure.Page)) {
		for _, m := range place.FindAllStringSubmatch(line, -1) {
			named++
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil && !strings.HasPrefix(line, "| ") && !strings.Contains(m[1], "FAMILY") {
				t.Errorf("%s names %s, which is not there", measure.Page, m[1])
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d places were found on the page: this test looks for the wrong thing", named)
	}
}

// The measures see what they count.
func TestMeasuresBite(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "policy/a.go", "// Package policy is one.\npackage policy\n\nfunc a() { b() } // down\n\ntype T struct{}\n")
	write(t, dir, "policy/b.go", "package policy\n\nfunc b() { c() }\n")
	write(t, dir, "policy/c.go", "package policy\n\nfunc c() { a() }\n\nfunc (T) m() { local := T{}; _ = local }\n")
	write(t, dir, "policy/deep/d.go", "package deep\n")
	write(t, dir, "tools/t.go", "package tools\n\nimport _ \"hardshell/policy\"\n\n/* a\nlong\none */\n")
	tree, err := measure.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(measure.Arrows{Pkg: "policy", Files: 3, Count: 3, Upward: 1}, tree.ArrowsOf()[0]); diff != "" {
		t.Errorf("arrows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(measure.Size{Files: 5, Lines: 22, Code: 11, Comments: 4}, measure.SizeOf(tree.Files)); diff != "" {
		t.Errorf("size (-want +got):\n%s", diff)
	}
	drawn := tree.Draw()
	if !strings.Contains(drawn, ">deep</text>") || strings.Count(drawn, "<line") != 1 {
		t.Errorf("the map lacks a room or an arrow, or has more than one arrow:\n%s", drawn)
	}
}

// A page is written where its rows are, and is stale when its figures are far off.
func TestPage(t *testing.T) {
	page := "text\n| what | before | now | models |\n| --- | --- | --- | --- |\n| a | 1 | 100 in 20 | x |\n| b | 2 | 3 | |\n"
	rows := []measure.Row{{What: "a", Now: "`T` 105 in 24"}, {What: "b", Now: "19"}}
	if got := measure.Stale(page, rows); len(got) != 1 || !strings.HasPrefix(got[0], `b: the page says "3", measured is "19"`) {
		t.Errorf("stale are %q", got)
	}
	got, err := measure.Write(page, rows)
	if want := strings.NewReplacer("| 100 in 20 |", "| `T` 105 in 24 |", "| 3 | |", "| 19 |  |").Replace(page); err != nil || got != want {
		t.Errorf("written %q, %v; want %q", got, err, want)
	}
	if _, err := measure.Write(page, []measure.Row{{What: "c"}}); err == nil {
		t.Error("a row that is not there was written")
	}
}
