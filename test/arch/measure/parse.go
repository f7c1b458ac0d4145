package measure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Module is the project's module path.
const Module = "hardshell"

// File is one Go source file.
type File struct {
	Path  string // from the tree's root, with slashes
	Pkg   string // folder of the package, from the root
	Test  bool   // a _test.go file
	Text  string
	Lines int
	AST   *ast.File
}

// Product reports whether a file goes into the program: no test and nothing of test/.
func (f File) Product() bool { return !f.Test && f.Pkg != "test" && !strings.HasPrefix(f.Pkg, "test/") }

// Helper reports whether a package serves tests of other packages alone. Its name says so.
func Helper(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// Parse reads every Go file under dir, but hidden folders, testdata and bin.
func Parse(fset *token.FileSet, dir string) ([]File, error) {
	var all []File
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != dir && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(fset, p, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, File{
			Path: rel, Pkg: path.Dir(rel), Test: strings.HasSuffix(name, "_test.go"),
			Text: string(b), Lines: strings.Count(string(b), "\n"), AST: tree,
		})
		return nil
	})
	return all, err
}

// Imports gives a file's imports by path, the project's own ones from the module on.
func (f File) Imports() map[string]*ast.ImportSpec {
	m := map[string]*ast.ImportSpec{}
	for _, spec := range f.AST.Imports {
		m[strings.Trim(spec.Path.Value, `"`)] = spec
	}
	return m
}
