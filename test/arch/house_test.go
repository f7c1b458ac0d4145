package arch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/test/arch/measure"
)

// debt is how many breaks of a rule the tree may still have, by rule. It only shrinks.
var debt = map[string]int{
	"methods":    0,
	"files":      0,
	"complexity": 0,
	"exported":   0,
	"same name":  0,
}

// settle fails for breaks of a rule that exceed its debt, and shows them.
func settle(t *testing.T, what string, found []string) {
	t.Helper()
	if len(found) > debt[what] {
		t.Errorf("%d breaks of this rule, %d are allowed:\n%s", len(found), debt[what], strings.Join(found, "\n"))
	} else if len(found) > 0 {
		t.Logf("%d left of %d:\n%s", len(found), debt[what], strings.Join(found, "\n"))
	}
}

// crowdedTypes gives the types with too many methods.
func crowdedTypes(files []measure.File) []string {
	var found []string
	for _, m := range measure.MethodsOf(files) {
		if m.Count > measure.MethodBudget {
			found = append(found, fmt.Sprintf("%s has %d methods in %d files, the budget is %d: part of them serves a noun that deserves a type of its own", m.Type, m.Count, m.Files, measure.MethodBudget))
		}
	}
	return found
}

// A type with many methods holds several things, and whoever changes one of them
// has to know the others.
func TestTypesStaySmall(t *testing.T) { settle(t, "methods", crowdedTypes(sources)) }

// crowdedPackages gives the packages with too many files.
func crowdedPackages(files []measure.File) []string {
	var found []string
	for _, p := range measure.FilesOf(files) {
		if p.Files > measure.PackageBudget && measure.Crowded[p.Pkg] == "" {
			found = append(found, fmt.Sprintf("%s has %d files, the budget is %d: a noun of it can be a package of its own", p.Pkg, p.Files, measure.PackageBudget))
		}
	}
	return found
}

// Within a package everything can lean on everything. Few files are seen at a glance.
func TestPackagesStaySmall(t *testing.T) { settle(t, "files", crowdedPackages(sources)) }

// tangled gives the functions with too many ways through them.
func tangled(files []measure.File) []string {
	var found []string
	for _, c := range measure.ComplexityOf(files) {
		if c.Ways > measure.ComplexityBudget {
			found = append(found, fmt.Sprintf("%s: %s has a complexity of %d, the budget is %d: give its cases names", fset.Position(c.Pos), c.Name, c.Ways, measure.ComplexityBudget))
		}
	}
	return found
}

// A function with more ways through it than one can hold in the head is tested by luck.
func TestFunctionsStaySimple(t *testing.T) { settle(t, "complexity", tangled(sources)) }

// unused gives the exported names that nothing outside uses.
func unused(tree *measure.Tree) []string {
	var found []string
	for _, u := range tree.Exported(slices.Collect(maps.Keys(measure.Shown))...).Unused {
		found = append(found, fmt.Sprintf("%s: %s: nothing outside its package uses it: write it small", tree.Fset.Position(u.Pos), u.Name))
	}
	return found
}

// A small front is what a reader of a package has to know, and what may change
// without asking is all the rest.
func TestExportedNamesAreUsed(t *testing.T) { settle(t, "exported", unused(typed(t))) }

// One word has one meaning for whoever reads two packages that meet.
func TestTypesHaveNamesOfTheirOwn(t *testing.T) {
	settle(t, "same name", typed(t).SameNames(slices.Collect(maps.Keys(measure.Free))...))
}

// checkOnce gives the tree its types when the first test asks for them.
var checkOnce = sync.OnceValues(func() (*measure.Tree, error) { return measure.Check(fset, root, sources) })

// typed gives the tree with its types.
func typed(t *testing.T) *measure.Tree {
	t.Helper()
	tree, err := checkOnce()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// houseTree writes a small module that breaks each rule once.
func houseTree(t *testing.T) *measure.Tree {
	t.Helper()
	dir := t.TempDir()
	var many strings.Builder
	many.WriteString("package big\n\ntype Big struct{}\n\ntype small struct{}\n\nfunc (small) one() {}\n")
	for i := range measure.MethodBudget + 1 {
		fmt.Fprintf(&many, "func (*Big) m%d() {}\n", i)
	}
	write(t, dir, "big/big.go", many.String())
	for i := range measure.PackageBudget {
		write(t, dir, fmt.Sprintf("big/f%d.go", i), "package big\n")
		write(t, dir, fmt.Sprintf("cmd/agent/f%d.go", i), "package main\n")
		write(t, dir, fmt.Sprintf("low/f%d_test.go", i), "package low\n")
	}
	write(t, dir, "cmd/agent/main.go", "package main\n\nimport \"hardshell/high\"\n\nfunc main() { high.Run() }\n")
	write(t, dir, "tangle/t.go", "package tangle\n\nfunc f(a, b bool) {\n"+strings.Repeat("\tif a && b {\n\t}\n", 10)+"}\n\nfunc g(n int) {\n\tswitch n {\n\tcase 1:\n\tdefault:\n\t}\n"+strings.Repeat("\tfor range n {\n\t}\n", 18)+"}\n")
	write(t, dir, "low/low.go", `package low

type Door interface{ Open() error }

type Used struct{ Field int }

func (Used) Called() Reached { return Reached{} }
func (Used) Lonely()         {}
func (Used) Error() string   { return "" }
func (Used) Unwrap() error   { return nil }

type Reached struct{}

type Kind int

const (
	First Kind = iota
	Second
)

const Loose = 1

const (
	Word  = "word"
	Other = "other"
)

var Forgotten = 2

type Alone struct{}

func Tested() {}

type note struct{}
`)
	write(t, dir, "low/lowtest/l.go", "package lowtest\n\nfunc Help() {}\n")
	write(t, dir, "high/high.go", `package high

import "hardshell/low"

type Used struct{}

type Door struct{}

func (Door) Open() error { return nil }

type note struct{}

func Run() { _, _ = low.Used{}.Called(), low.First+low.Kind(len(low.Word)) }
`)
	write(t, dir, "high/high_test.go", "package high\n\nimport \"hardshell/low\"\n\nfunc init() { low.Tested() }\n")
	write(t, dir, "apart/apart.go", "package apart\n\ntype note struct{}\n")
	tree, err := measure.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// The rules of the house see what they are for, and leave alone what is right.
func TestHouseRulesBite(t *testing.T) {
	tree := houseTree(t)
	short := func(lines []string) []string {
		var out []string
		for _, line := range lines {
			line, _, _ = strings.Cut(line, ",")
			line, _, _ = strings.Cut(line, ": nothing")
			if _, after, ok := strings.Cut(line, ": "); ok {
				line = after
			}
			out = append(out, line)
		}
		return out
	}
	for what, c := range map[string]struct{ got, want []string }{
		"types":     {crowdedTypes(tree.Files), []string{"big.Big has 31 methods in 1 files"}},
		"packages":  {crowdedPackages(tree.Files), []string{"big has 26 files"}},
		"functions": {tangled(tree.Files), []string{"tangle.f has a complexity of 21"}},
		"exported":  {unused(tree), []string{"big.Big", "high.Door", "high.Used", "low.Alone", "low.Door", "low.Forgotten", "low.Loose", "low.Tested", "low.Used.Lonely"}},
		"names":     {tree.SameNames(), []string{"low.Used and high.Used", "low.note and high.note"}},
		"free":      {tree.SameNames("note"), []string{"low.Used and high.Used"}},
	} {
		if diff := cmp.Diff(c.want, short(c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}
