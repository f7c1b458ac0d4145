package measure

import (
	"cmp"
	"go/ast"
	"slices"
)

// Methods is how many methods a type has, and over how many files they lie.
type Methods struct {
	Type         string // "runtime.Agent"
	Count, Files int
}

// MethodsOf counts the methods of each type of the product, most first.
func MethodsOf(files []File) []Methods {
	count := map[string]map[string]int{}
	for _, f := range files {
		if !f.Product() {
			continue
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			name := f.Pkg + "." + receiver(fn.Recv.List[0].Type)
			if count[name] == nil {
				count[name] = map[string]int{}
			}
			count[name][f.Path]++
		}
	}
	var out []Methods
	for name, in := range count {
		m := Methods{Type: name, Files: len(in)}
		for _, n := range in {
			m.Count += n
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Methods) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Type, b.Type)) })
	return out
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// Full is how many product files a package has.
type Full struct {
	Pkg   string
	Files int
}

// FilesOf counts the product files of each package, most first.
func FilesOf(files []File) []Full {
	count := map[string]int{}
	for _, f := range files {
		if f.Product() {
			count[f.Pkg]++
		}
	}
	var out []Full
	for pkg, n := range count {
		out = append(out, Full{pkg, n})
	}
	slices.SortFunc(out, func(a, b Full) int { return cmp.Or(b.Files-a.Files, cmp.Compare(a.Pkg, b.Pkg)) })
	return out
}
