package arch

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table gives the words of a variable that is a list of texts.
func table(t *testing.T, path, name string) []string {
	t.Helper()
	var words []string
	for _, f := range sources {
		if f.Path != path {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != name {
				return true
			}
			ast.Inspect(spec, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok {
					words = append(words, strings.Trim(lit.Value, `"`))
				}
				return true
			})
			return false
		})
	}
	if len(words) == 0 {
		t.Fatalf("%s has no table %s", path, name)
	}
	return words
}

// The registry's order, which is the policy's, and the prompt's are one: neither
// package may import the other, so that the table stands in both.
func TestToolOrderIsOne(t *testing.T) {
	if d := cmp.Diff(table(t, "assembly/order.go", "toolOrder"), table(t, "policy/toollist.go", "toolNames")); d != "" {
		t.Errorf("policy/toollist.go differs from assembly/order.go (-assembly +policy):\n%s", d)
	}
}
