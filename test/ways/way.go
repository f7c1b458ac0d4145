package ways

import (
	"fmt"
	"go/types"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"hardshell/test/arch/measure"
)

// note is one function that the mark passed.
type note struct {
	at                    time.Time
	file, function        string
	callerFile, callerFun string
}

// Way is what a marked value passed.
type Way struct {
	Name      string
	Functions []string // in the order of the first passing
	Files     []string
	Packages  []string
	// Back are the calls up: "policy.f <- tools.g" is a function of tools that one of
	// policy called, though tools stands above policy.
	Back []string
}

// String is the way as a row of the table has it.
func (w Way) String() string {
	return fmt.Sprintf("%d functions, %d files, %d packages, %d turns back", len(w.Functions), len(w.Files), len(w.Packages), len(w.Back))
}

// readNotes gives the notes of a run between two instants.
func readNotes(name string, from, to time.Time) ([]note, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []note
	for line := range strings.Lines(string(b)) {
		c := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(c) != 5 {
			continue
		}
		ns, err := strconv.ParseInt(c[0], 10, 64)
		if err != nil {
			return nil, err
		}
		if at := time.Unix(0, ns); !at.Before(from) && !at.After(to) {
			out = append(out, note{at, short(c[1]), plain(c[2]), short(c[3]), plain(c[4])})
		}
	}
	slices.SortStableFunc(out, func(a, b note) int { return a.at.Compare(b.at) })
	return out, nil
}

// short is a file from the root on.
func short(file string) string { return strings.TrimPrefix(file, measure.Module+"/") }

// plain is a function without the numbers of its literals: what they do counts as its own.
func plain(function string) string {
	function = strings.TrimPrefix(function, measure.Module+"/")
	if i := strings.Index(function, ".func"); i > 0 {
		function = function[:i]
	}
	return strings.ReplaceAll(function, "[...]", "")
}

// wayOf sums notes up.
func wayOf(name string, notes []note, above func(high, low string) bool) Way {
	w := Way{Name: name}
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, n := range notes {
		add(&w.Functions, path.Dir(n.file)+": "+n.function)
		add(&w.Files, n.file)
		add(&w.Packages, path.Dir(n.file))
		if n.callerFile != "" && above(path.Dir(n.file), path.Dir(n.callerFile)) {
			add(&w.Back, n.callerFun+" calls "+n.function)
		}
	}
	return w
}

// layers tells which package imports which, directly or through others.
func layers(root string) (func(high, low string) bool, error) {
	t, err := measure.Load(root)
	if err != nil {
		return nil, err
	}
	below := map[string]map[string]bool{}
	var fill func(*types.Package) map[string]bool
	fill = func(p *types.Package) map[string]bool {
		name := short(p.Path())
		if below[name] != nil {
			return below[name]
		}
		set := map[string]bool{}
		below[name] = set
		for _, i := range p.Imports() {
			if strings.HasPrefix(i.Path(), measure.Module+"/") {
				set[short(i.Path())] = true
				for n := range fill(i) {
					set[n] = true
				}
			}
		}
		return set
	}
	for _, p := range t.Packages {
		fill(p.Types)
	}
	return func(high, low string) bool { return below[high][low] }, nil
}
