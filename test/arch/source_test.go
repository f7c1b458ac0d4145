package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"strings"
	"testing"

	"hardshell/test/arch/measure"
)

// root is the project's folder, seen from this package.
const root = "../.."

// files of the project and the positions in them, read once.
var (
	sources []measure.File
	fset    = token.NewFileSet()
)

func TestMain(m *testing.M) {
	var err error
	if sources, err = measure.Parse(fset, root); err != nil {
		fmt.Fprintln(os.Stderr, "arch:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
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
