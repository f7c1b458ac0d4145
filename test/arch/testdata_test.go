package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hardshell/test/arch/measure"
)

// spoken gives the names that a package's sources say: each string of them, with
// any text where something else is added to one, and its tests, which have seeds.
func spoken(files []measure.File) []*regexp.Regexp {
	var names []*regexp.Regexp
	add := func(pattern string) {
		if !strings.ContainsFunc(pattern, unicode.IsSpace) && len(pattern) < 200 && utf8.ValidString(pattern) {
			names = append(names, regexp.MustCompile("(?:^|/)"+pattern+"$"))
		}
	}
	for _, f := range files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if p := pattern(n); !strings.HasPrefix(p, ".+") {
					add(p)
					return false
				}
			case *ast.BasicLit:
				if p := pattern(n); p != ".+" && p != "" {
					add(p)
				}
			case *ast.FuncDecl:
				if f.Test {
					add(n.Name.Name)
				}
			}
			return true
		})
	}
	return names
}

// pattern is a string expression as a regular expression.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return regexp.QuoteMeta(s)
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return pattern(e.X) + pattern(e.Y)
		}
	}
	return ".+"
}

// unsaid gives the files of a package's testdata, from there, that no name says,
// nor one of a folder that they lie in. Seeds count by the test that they are for.
func unsaid(held []string, names []*regexp.Regexp) []string {
	var stale []string
	for _, file := range held {
		p, said := file, false
		if parts := strings.Split(p, "/"); len(parts) > 2 && (parts[0] == "fuzz" || parts[0] == "rapid") {
			p = parts[1]
		}
		for at := "testdata/" + p; at != "testdata" && !said; at = path.Dir(at) {
			said = slices.ContainsFunc(names, func(n *regexp.Regexp) bool { return n.MatchString(at) })
		}
		if !said {
			stale = append(stale, file)
		}
	}
	return stale
}

// heldFiles gives what lies in each package's testdata, from there.
func heldFiles(dir string) (map[string][]string, error) {
	held := map[string][]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != dir && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if pkg, name, ok := strings.Cut(filepath.ToSlash(rel), "/testdata/"); ok {
			held[pkg] = append(held[pkg], name)
		}
		return nil
	})
	return held, err
}

// TestNoStaleTestdata holds that a file of testdata goes when its test goes: one
// that nothing reads looks like something that is held to.
func TestNoStaleTestdata(t *testing.T) {
	held, err := heldFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(held["assembly"]) == 0 {
		t.Error("no testdata of assembly was found: this test looks in the wrong place")
	}
	of := map[string][]measure.File{}
	for _, f := range sources {
		of[f.Pkg] = append(of[f.Pkg], f)
	}
	for pkg, files := range held {
		for _, p := range unsaid(files, spoken(of[pkg])) {
			t.Errorf("%s/testdata/%s: no source of the package names it; delete it, or read it in a test", pkg, p)
		}
	}
}

func TestUnsaid(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "a_test.go", `package a
func FuzzCut() {}
var _, _, _ = "testdata/plain.txt", "turn-" + string(kind) + ".txt", name + ".json"
var _ = join("testdata", "script")
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := spoken([]measure.File{{AST: tree, Test: true}})
	got := unsaid([]string{"plain.txt", "turn-chat.txt", "old.txt", "x.json", "script/a.txtar", "fuzz/FuzzCut/1", "fuzz/FuzzGone/script", "turn.txt"}, names)
	if want := []string{"old.txt", "x.json", "fuzz/FuzzGone/script", "turn.txt"}; !slices.Equal(got, want) {
		t.Errorf("stale are %v, want %v", got, want)
	}
}
