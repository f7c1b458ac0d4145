// Command table measures the tree: types, packages, names and lines, as
// docs/develop.md shows them.
//
//	go run ./test/arch/table              prints the measures of this tree
//	go run ./test/arch/table -root DIR    of another checkout
//	go run ./test/arch/table -update      writes them into docs/develop.md, and docs/house.svg anew
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"hardshell/test/arch/measure"
)

func main() {
	root := flag.String("root", ".", "the checkout to measure")
	update := flag.Bool("update", false, "write docs/develop.md and docs/house.svg")
	flag.Parse()
	if err := run(*root, *update); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// run measures, and prints or writes.
func run(root string, update bool) error {
	t, err := measure.Load(root)
	if err != nil {
		return err
	}
	rows := t.Table()
	if !update {
		for _, r := range rows {
			fmt.Printf("%s:\n\t%s\n", r.What, r.Now)
		}
		return nil
	}
	name := filepath.Join(root, measure.Page)
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	page, err := measure.Write(string(b), rows)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, measure.Map), []byte(t.Draw()), 0o644)
}
