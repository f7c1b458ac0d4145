package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// root is the project's folder, seen from this package.
const root = "../.."

// module is the project's module path.
const module = "hardshell"

// file is one Go source file of the project.
type file struct {
	path  string // from the root, with slashes
	pkg   string // folder of the package, from the root
	test  bool
	text  string
	lines int
	ast   *ast.File
}

// files of the project and the positions in them, read once.
var (
	sources []file
	fset    = token.NewFileSet()
)

func TestMain(m *testing.M) {
	var err error
	if sources, err = load(root); err != nil {
		fmt.Fprintln(os.Stderr, "arch:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// load parses every Go file under dir.
func load(dir string) ([]file, error) {
	var all []file
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
		all = append(all, file{
			path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(name, "_test.go"),
			text: string(b), lines: strings.Count(string(b), "\n"), ast: tree,
		})
		return nil
	})
	return all, err
}

// imports gives a file's imports, the project's own ones from the root on.
func (f file) imports() map[string]*ast.ImportSpec {
	m := map[string]*ast.ImportSpec{}
	for _, spec := range f.ast.Imports {
		m[importPath(spec)] = spec
	}
	return m
}

// importPath is what a spec imports.
func importPath(spec *ast.ImportSpec) string { return strings.Trim(spec.Path.Value, `"`) }

// matches reports whether a path fits a pattern: the same, or below it when the
// pattern ends in "/...".
func matches(pattern, p string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return p == base || strings.HasPrefix(p, base+"/")
	}
	return pattern == p
}

// oneOf reports whether a path fits one of several patterns.
func oneOf(patterns []string, p string) bool {
	for _, pattern := range patterns {
		if matches(pattern, p) {
			return true
		}
	}
	return false
}
