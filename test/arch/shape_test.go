package arch

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/test/arch/measure"
)

// The budgets of a file and a function, in lines. More needs a reason, written
// where it is broken as a comment "Long: …".
const (
	fileBudget     = 400
	functionBudget = 60
)

// longReason is how a file or function says why it is over its budget.
var longReason = regexp.MustCompile(`(?m)^\s*// Long: \S+`)

func TestFilesStayReadable(t *testing.T) {
	for _, f := range sources {
		if f.Lines > fileBudget && !longReason.MatchString(f.Text) {
			t.Errorf("%s has %d lines, the budget is %d: split it by its nouns, or say why not in a comment \"Long: …\"", f.Path, f.Lines, fileBudget)
		}
	}
}

func TestFunctionsStayReadable(t *testing.T) {
	for _, f := range sources {
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || f.Test { // a test's table is no logic
				continue
			}
			n := fset.Position(fn.Body.End()).Line - fset.Position(fn.Pos()).Line + 1
			if n > functionBudget && !longReason.MatchString("// "+fn.Doc.Text()) && !longReason.MatchString(commented(fn.Doc)) {
				t.Errorf("%s: %s has %d lines, the budget is %d: give its parts names, or say why not in its comment as \"Long: …\"", f.Path, fn.Name.Name, n, functionBudget)
			}
		}
	}
}

// commented gives a comment's raw lines.
func commented(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

// Every package says once what it owns.
func TestOnePackageComment(t *testing.T) {
	if diff := cmp.Diff([]string(nil), packageComments(sources)); diff != "" {
		t.Errorf("package comments (-want +got):\n%s", diff)
	}
}

// packageComments finds packages with no comment or with several.
func packageComments(files []measure.File) []string {
	count, order := map[string]int{}, []string{}
	for _, f := range files {
		if _, ok := count[f.Pkg]; !ok {
			count[f.Pkg] = 0
			order = append(order, f.Pkg)
		}
		if f.AST.Doc != nil && !f.Test {
			count[f.Pkg]++
		}
	}
	var wrong []string
	for _, pkg := range order {
		if count[pkg] != 1 {
			wrong = append(wrong, fmt.Sprintf("%s has %d package comments, it needs exactly one", pkg, count[pkg]))
		}
	}
	return wrong
}

func TestPackageCommentsBite(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/a.go", "package a\n")
	write(t, dir, "b/b.go", "// Package b is one.\npackage b\n")
	write(t, dir, "b/c.go", "// Package b is two.\npackage b\n")
	write(t, dir, "c/c.go", "// Package c is fine.\npackage c\n")
	files, err := measure.Parse(fset, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a has 0 package comments, it needs exactly one", "b has 2 package comments, it needs exactly one"}
	if diff := cmp.Diff(want, packageComments(files)); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// Every exported name of a package says what it is.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, f := range sources {
		if f.Test || f.AST.Name.Name == "main" {
			continue
		}
		for _, d := range f.AST.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", f.Path, name)
			}
		}
	}
}

// undocumented gives the exported names of a declaration that have no comment.
func undocumented(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && s.Doc == nil && d.Doc == nil && s.Comment == nil {
					names = append(names, s.Names[0].Name)
				}
			}
		}
	}
	return names
}

// Values of time are parameters where the same input must give the same bytes.
func TestNoClockInPurePackages(t *testing.T) {
	for _, f := range sources {
		if f.Test || !oneOf([]string{"assembly/...", "policy/..."}, f.Pkg) {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && oneOf([]string{"Now", "Since", "Until", "Local"}, s.Sel.Name) {
					t.Errorf("%s:%d: time.%s: time comes in as a value here", f.Path, fset.Position(s.Pos()).Line, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// mayExit names the files that may end the process, and why.
var mayExit = map[string]string{
	"cmd/agent/main.go": "the one doorway",
	"sandbox/reap.go":   "process 1 of a sandbox has nobody to return to when its launcher is gone",
}

// The program ends in one place, so that everything that must be put back is.
func TestOnlyMainExits(t *testing.T) {
	for _, f := range sources {
		if f.Test || mayExit[f.Path] != "" || oneOf([]string{"test/..."}, f.Pkg) {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && (x.Name == "os" && (s.Sel.Name == "Exit" || s.Sel.Name == "Args") || x.Name == "log" && strings.HasPrefix(s.Sel.Name, "Fatal")) {
				t.Errorf("%s:%d: %s.%s belongs into main alone", f.Path, fset.Position(s.Pos()).Line, x.Name, s.Sel.Name)
			}
			return true
		})
	}
}

// write makes a file for a test.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
