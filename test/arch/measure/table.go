package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Row is a line of the table of measures.
type Row struct{ What, Now string }

// Table gives the measures of a tree, in the order of docs/develop.md.
func (t *Tree) Table() []Row {
	methods := MethodsOf(t.Files)
	full := FilesOf(t.Files)
	size := SizeOf(t.Files)
	exported := t.Exported(slices.Collect(maps.Keys(Shown))...)
	tangled := 0
	for _, c := range ComplexityOf(t.Files) {
		if c.Ways > ComplexityBudget {
			tangled++
		}
	}
	return []Row{
		{"most methods on one type, and over how many files", list(methods, 5, func(m Methods) string { return fmt.Sprintf("`%s` %d in %d", m.Type, m.Count, m.Files) })},
		{"files in the fullest packages", list(full, 5, func(f Full) string { return fmt.Sprintf("%s %d", f.Pkg, f.Files) })},
		{"packages", fmt.Sprint(len(full))},
		{"arrows between the files of a package, and how many of them point up", t.arrowsRow()},
		{"exported names, and how many nothing outside uses", fmt.Sprintf("%d, %d", exported.Names, len(exported.Unused))},
		{"functions with a complexity over 20", fmt.Sprint(tangled)},
		{"types that share a name with one in a package that they meet", fmt.Sprint(len(t.SameNames(slices.Collect(maps.Keys(Free))...)))},
		{"lines of the product and files", fmt.Sprintf("%d in %d", size.Lines, size.Files)},
		{"of these with code, and comments alone", fmt.Sprintf("%d, %d (%.1f %%)", size.Code, size.Comments, size.CommentShare())},
	}
}

// arrowsRow gives the fullest packages' arrows and those of all.
func (t *Tree) arrowsRow() string {
	arrows := t.ArrowsOf()
	var count, up int
	for _, a := range arrows {
		count += a.Count
		up += a.Upward
	}
	return list(arrows, 4, func(a Arrows) string { return fmt.Sprintf("%s %d, %d", a.Pkg, a.Count, a.Upward) }) + fmt.Sprintf("; in all %d, %d", count, up)
}

// list joins what the first few of a list come to.
func list[T any](of []T, most int, text func(T) string) string {
	var out []string
	for _, x := range of[:min(most, len(of))] {
		out = append(out, text(x))
	}
	return strings.Join(out, "; ")
}
