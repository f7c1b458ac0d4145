package measure

import (
	"fmt"
	"go/types"
	"slices"
)

// SameNames gives the types of the product that share a name across packages of
// which one imports the other: "tools.Call and cmd/agent.Call". Left out are helpers
// of tests, an interface and what satisfies it, two interfaces of which one is part
// of the other, and the names in free.
func (t *Tree) SameNames(free ...string) []string {
	var out []string
	for _, high := range t.Packages {
		if !high.Files[0].Product() || Helper(high.Path) {
			continue
		}
		for _, low := range high.Types.Imports() {
			folder, ours := ownPath(low.Path())
			if !ours || Helper(folder) {
				continue
			}
			for _, name := range high.Types.Scope().Names() {
				a, b := typeName(high.Types, name), typeName(low, name)
				if a != nil && b != nil && !slices.Contains(free, name) && !fits(a, b) && !fits(b, a) {
					out = append(out, fmt.Sprintf("%s.%s and %s.%s", folder, name, high.Path, name))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// typeName gives the type that a package declares under a name, nil for none. An
// alias is the other type itself.
func typeName(pkg *types.Package, name string) types.Type {
	tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok || tn.IsAlias() {
		return nil
	}
	return tn.Type()
}

// fits reports whether a type satisfies an interface.
func fits(typ, face types.Type) bool {
	i, ok := face.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0 && (types.Implements(typ, i) || types.Implements(types.NewPointer(typ), i))
}
