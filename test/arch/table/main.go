// Command table prints the measures of the tree.
package main

import (
	"fmt"
	"os"

	"hardshell/test/arch/measure"
)

func main() {
	t, err := measure.Load(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	e := t.Exported()
	fmt.Println(len(e.Unused), e.Names)
	fmt.Println(measure.MethodsOf(t.Files)[:14])
	fmt.Println(measure.FilesOf(t.Files)[:9])
	fmt.Println(t.ArrowsOf()[:9])
	for _, c := range measure.ComplexityOf(t.Files) {
		if c.Ways > 20 {
			fmt.Println(c.Name, c.Ways)
		}
	}
	for _, s := range t.SameNames("Config") {
		fmt.Println(s)
	}
	fmt.Println(measure.SizeOf(t.Files), measure.SizeOf(t.Files).CommentShare())
}
