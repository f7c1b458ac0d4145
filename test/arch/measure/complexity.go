package measure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// Complex is how many ways lead through a function.
type Complex struct {
	Name string // "policy/argv.Parse", with a method's type
	Pos  token.Pos
	Ways int
}

// ComplexityOf gives the cyclomatic complexity of each function of the product, the
// highest first: 1, and 1 for each if, for, case, && and ||. What a function holds
// as literals counts as its own.
func ComplexityOf(files []File) []Complex {
	var out []Complex
	for _, f := range files {
		if !f.Product() {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := f.Pkg + "." + fn.Name.Name
			if fn.Recv != nil {
				name = fmt.Sprintf("%s.%s.%s", f.Pkg, receiver(fn.Recv.List[0].Type), fn.Name.Name)
			}
			out = append(out, Complex{Name: name, Pos: fn.Pos(), Ways: ways(fn.Body)})
		}
	}
	slices.SortFunc(out, func(a, b Complex) int { return cmp.Or(b.Ways-a.Ways, cmp.Compare(a.Name, b.Name)) })
	return out
}

// ways counts the ways through a body.
func ways(body ast.Node) int {
	n := 1
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
