package arch

import (
	"go/ast"
	"go/token"
	"testing"

	"hardshell/test/arch/measure"
)

// eager lists what a package-level variable of a file makes before main begins,
// though most starts don't need it.
func eager(f measure.File) []string {
	var out []string
	for _, d := range f.AST.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		ast.Inspect(g, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false // runs when it is called
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && (x.Name == "regexp" && n.Sel.Name == "MustCompile" || x.Name == "crc32" && n.Sel.Name == "MakeTable") {
					out = append(out, x.Name+"."+n.Sel.Name)
				}
			}
			return true
		})
	}
	return out
}

// Each command is started through this program twice, once for each half of the
// sandbox, and a person waits for each start.
func TestNothingIsCompiledAtTheStart(t *testing.T) {
	for _, f := range sources {
		if f.Test || oneOf([]string{"test/..."}, f.Pkg) {
			continue
		}
		for _, what := range eager(f) {
			t.Errorf("%s: %s runs at every start of the program, the sandbox's own starts included: wrap it in sync.OnceValue", f.Path, what)
		}
	}
}

// The rule sees what it is for, and leaves alone what waits.
func TestEagerBites(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "p/p.go", "package p\n\nvar a = regexp.MustCompile(`x`)\n\nvar (\n\tb = []any{crc32.MakeTable(1)}\n\tc = sync.OnceValue(func() any { return regexp.MustCompile(`y`) })\n)\n\nfunc f() { regexp.MustCompile(`z`) }\n")
	files, err := measure.Parse(fset, dir)
	if err != nil {
		t.Fatal(err)
	}
	got := eager(files[0])
	if len(got) != 2 || got[0] != "regexp.MustCompile" || got[1] != "crc32.MakeTable" {
		t.Errorf("found %v", got)
	}
}
