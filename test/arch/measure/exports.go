package measure

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Exported is what the packages of the product show to one another.
type Exported struct {
	Names  int      // exported names: of packages, and methods of exported types
	Unused []Unused // those that nothing outside their package uses
}

// Unused is an exported name that nothing outside its package uses.
type Unused struct {
	Name string // "policy.Kind" or "policy.Kind.String", the package from the root on
	Pos  token.Pos
}

// Exported counts the exported names of product packages and gives those that no
// other package uses. Commands and helpers of tests are left out: the former export
// nothing, the latter serve tests. Fields are free: they are written, compared and
// encoded with their whole struct. So are the constants of a type that is used: they
// are its values.
//
// A use is a mention in the code of another package, its tests not counted. These
// count too: a name in shown, a type in the signature or in an exported field of
// something used; a method by which its type satisfies an interface, or that the
// standard library asks for by name; a constant when another one of its declaration
// is used, since a set of words goes together.
func (t *Tree) Exported(shown ...string) Exported {
	u := &uses{tree: t, used: map[types.Object]bool{}, satisfied: map[types.Object]bool{}}
	u.mentions()
	u.show(shown)
	u.interfaces()
	var e Exported
	for _, p := range t.Packages {
		if !exports(p) {
			continue
		}
		for _, n := range exportedNames(p) {
			e.Names++
			if !u.counts(n) {
				e.Unused = append(e.Unused, Unused{Name: p.Path + "." + n.text, Pos: n.obj.Pos()})
			}
		}
	}
	slices.SortFunc(e.Unused, func(a, b Unused) int { return strings.Compare(a.Name, b.Name) })
	return e
}

// asked are methods that the standard library asks for where no interface says so.
var asked = []string{"As", "Is", "Unwrap"}

// exports reports whether the exported names of a package are to be used elsewhere.
func exports(p *Package) bool {
	return len(p.Files) > 0 && p.Files[0].Product() && p.Types.Name() != "main" && !Helper(p.Path)
}

// exportedName is one exported name of a package.
type exportedName struct {
	obj  types.Object
	text string
}

// exportedNames gives the exported names of a package, with the methods of its exported types.
func exportedNames(p *Package) []exportedName {
	var out []exportedName
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		out = append(out, exportedName{obj: obj, text: name})
		tn, ok := obj.(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok {
			continue
		}
		for m := range named.Methods() {
			if m.Exported() {
				out = append(out, exportedName{obj: m, text: name + "." + m.Name()})
			}
		}
	}
	return out
}

// uses is what is known of who uses what.
type uses struct {
	tree      *Tree
	used      map[types.Object]bool // mentioned by another package
	satisfied map[types.Object]bool // methods that satisfy an interface
	said      map[string]bool       // names in files of another platform
	declared  map[types.Object]*ast.GenDecl
	sets      map[*ast.GenDecl]bool // declarations with a used constant
}

// mentions notes what each package says of the others.
func (u *uses) mentions() {
	u.said, u.sets, u.declared = map[string]bool{}, map[*ast.GenDecl]bool{}, map[types.Object]*ast.GenDecl{}
	for _, p := range u.tree.Packages {
		u.constants(p)
	}
	for _, p := range u.tree.Packages {
		for _, obj := range p.Info.Uses {
			if obj.Pkg() != nil && obj.Pkg() != p.Types {
				u.mark(obj)
			}
		}
		for _, f := range p.Other {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					u.said[s.Sel.Name] = true
				}
				return true
			})
		}
	}
}

// constants notes in which declaration each constant of a package stands.
func (u *uses) constants(p *Package) {
	for _, f := range p.Files {
		for _, d := range f.AST.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					u.declared[p.Info.Defs[id]] = g
				}
			}
		}
	}
}

// mark notes a use, and the types that come with it.
func (u *uses) mark(obj types.Object) {
	switch o := obj.(type) {
	case *types.Var:
		obj = o.Origin()
	case *types.Func:
		obj = o.Origin()
	}
	if obj.Pkg() == nil || u.used[obj] {
		return
	}
	if _, ours := ownPath(obj.Pkg().Path()); !ours {
		return
	}
	u.used[obj] = true
	if _, ok := obj.(*types.Const); ok {
		u.sets[u.declared[obj]] = true
	}
	u.reach(obj.Type())
	if tn, ok := obj.(*types.TypeName); ok && !tn.IsAlias() {
		u.reach(tn.Type().Underlying())
	}
	if f, ok := obj.(*types.Func); ok {
		if recv := f.Signature().Recv(); recv != nil {
			u.reach(recv.Type())
		}
	}
}

// show notes names as used that the caller knows a use of.
func (u *uses) show(names []string) {
	for _, p := range u.tree.Packages {
		for _, n := range exportedNames(p) {
			if slices.Contains(names, p.Path+"."+n.text) {
				u.mark(n.obj)
			}
		}
	}
}

// reach marks the named types that a type is made of.
func (u *uses) reach(typ types.Type) {
	switch typ := typ.(type) {
	case *types.Named:
		u.mark(typ.Obj())
		for arg := range typ.TypeArgs().Types() {
			u.reach(arg)
		}
	case *types.Alias:
		u.mark(typ.Obj())
		u.reach(typ.Rhs())
	case *types.Pointer:
		u.reach(typ.Elem())
	case *types.Slice:
		u.reach(typ.Elem())
	case *types.Array:
		u.reach(typ.Elem())
	case *types.Chan:
		u.reach(typ.Elem())
	case *types.Map:
		u.reach(typ.Key())
		u.reach(typ.Elem())
	case *types.Signature:
		for v := range typ.Params().Variables() {
			u.reach(v.Type())
		}
		for v := range typ.Results().Variables() {
			u.reach(v.Type())
		}
	case *types.Struct:
		for f := range typ.Fields() {
			if f.Exported() {
				u.reach(f.Type())
			}
		}
	case *types.Interface:
		for m := range typ.Methods() {
			u.reach(m.Type())
		}
	}
}

// interfaces notes the methods by which the tree's types satisfy interfaces: ours,
// and those of every package that we import.
func (u *uses) interfaces() {
	faces := u.allInterfaces()
	for _, p := range u.tree.Packages {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
				continue
			}
			ptr := types.NewPointer(tn.Type())
			set := types.NewMethodSet(ptr)
			if set.Len() == 0 {
				continue
			}
			for _, face := range faces {
				if !named(set, face) || !types.Implements(ptr, face) {
					continue
				}
				for m := range face.Methods() {
					if sel := set.Lookup(m.Pkg(), m.Name()); sel != nil {
						u.satisfied[sel.Obj().(*types.Func).Origin()] = true
					}
				}
			}
		}
	}
}

// named reports whether a method set has the names of an interface's methods, which
// is quick to see and mostly not so.
func named(set *types.MethodSet, face *types.Interface) bool {
	for m := range face.Methods() {
		if set.Lookup(m.Pkg(), m.Name()) == nil {
			return false
		}
	}
	return true
}

// allInterfaces gives every interface with methods that the tree writes or imports.
func (u *uses) allInterfaces() []*types.Interface {
	var faces []*types.Interface
	add := func(typ types.Type) {
		if face, ok := typ.Underlying().(*types.Interface); ok && face.NumMethods() > 0 {
			faces = append(faces, face)
		}
	}
	add(types.Universe.Lookup("error").Type())
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, name := range pkg.Scope().Names() {
			if tn, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
				add(tn.Type())
			}
		}
		for _, imported := range pkg.Imports() {
			visit(imported)
		}
	}
	for _, p := range u.tree.Packages {
		visit(p.Types)
		for expr, tv := range p.Info.Types {
			if _, ok := expr.(*ast.InterfaceType); ok {
				add(tv.Type)
			}
		}
	}
	return faces
}

// counts reports whether a name is used.
func (u *uses) counts(n exportedName) bool {
	if u.used[n.obj] || u.satisfied[n.obj] || u.said[n.obj.Name()] {
		return true
	}
	switch n.obj.(type) {
	case *types.Const:
		named, ok := n.obj.Type().(*types.Named)
		return ok && u.used[named.Obj()] || u.sets[u.declared[n.obj]]
	case *types.Func:
		return strings.Contains(n.text, ".") && slices.Contains(asked, n.obj.Name())
	}
	return false
}
