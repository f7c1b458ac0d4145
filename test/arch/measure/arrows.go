package measure

import (
	"cmp"
	"go/types"
	"slices"
)

// Arrows is how the files of a package lean on one another. An arrow goes from a
// file to one whose names it says. Upward are those that no order of the files from
// top to bottom can make point down, as far as a quick search finds.
type Arrows struct {
	Pkg                  string
	Files, Count, Upward int
}

// ArrowsOf gives the arrows within each product package, most first.
func (t *Tree) ArrowsOf() []Arrows {
	var out []Arrows
	for _, p := range t.Packages {
		if p.Files[0].Product() {
			out = append(out, t.arrows(p))
		}
	}
	slices.SortFunc(out, func(a, b Arrows) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Pkg, b.Pkg)) })
	return out
}

func (t *Tree) arrows(p *Package) Arrows {
	index := map[string]int{}
	for i, f := range p.Files {
		index[t.Fset.File(f.AST.FileStart).Name()] = i
	}
	n := len(p.Files)
	to := make([][]bool, n)
	for i := range to {
		to[i] = make([]bool, n)
	}
	a := Arrows{Pkg: p.Path, Files: n}
	for id, obj := range p.Info.Uses {
		if obj.Pkg() != p.Types || local(obj) {
			continue
		}
		from, at := index[t.Fset.File(id.Pos()).Name()], index[t.Fset.File(obj.Pos()).Name()]
		if from != at && !to[from][at] {
			to[from][at] = true
			a.Count++
		}
	}
	a.Upward = upward(to)
	return a
}

// local reports whether a name lives in a function.
func local(obj types.Object) bool {
	switch o := obj.(type) {
	case *types.PkgName, *types.Label:
		return true
	case *types.Var:
		return !o.IsField() && o.Parent() != o.Pkg().Scope()
	case *types.Func:
		return false
	}
	return obj.Parent() != obj.Pkg().Scope()
}

// upward orders the files so that few arrows point up, and counts those that do.
// It moves one file at a time to where it does best, until no move helps.
func upward(to [][]bool) int {
	order := make([]int, len(to))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return net(to, b) - net(to, a) })
	for better := true; better; {
		better = false
		for i := range order {
			if best := place(to, order, i); best != i {
				f := order[i]
				order = slices.Insert(slices.Delete(order, i, i+1), best, f)
				better = true
			}
		}
	}
	up := 0
	for i, f := range order {
		for _, g := range order[:i] {
			if to[f][g] {
				up++
			}
		}
	}
	return up
}

// net is how many more files a file leans on than lean on it.
func net(to [][]bool, f int) int {
	n := 0
	for g := range to {
		n += one(to[f][g]) - one(to[g][f])
	}
	return n
}

// place gives where the file at i of an order has the fewest arrows that point up.
func place(to [][]bool, order []int, i int) int {
	f, best, at, gain := order[i], 0, i, 0
	for j := i - 1; j >= 0; j-- { // past the files above it, one by one
		gain += one(to[f][order[j]]) - one(to[order[j]][f])
		if gain > best {
			best, at = gain, j
		}
	}
	gain = 0
	for j := i + 1; j < len(order); j++ {
		gain += one(to[order[j]][f]) - one(to[f][order[j]])
		if gain > best {
			best, at = gain, j
		}
	}
	return at
}

// one is 1 for true.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
