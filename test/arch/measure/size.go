package measure

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Size is what the product's source comes to.
type Size struct {
	Files, Lines int
	// Comments are the lines with nothing but a comment on them, Code those with code.
	Comments, Code int
}

// CommentShare is the share of comment lines in all lines, in percent.
func (s Size) CommentShare() float64 { return 100 * float64(s.Comments) / float64(max(s.Lines, 1)) }

// SizeOf counts the lines of the product, tests and test/ left out.
func SizeOf(files []File) Size {
	var s Size
	for _, f := range files {
		if !f.Product() {
			continue
		}
		s.Files++
		s.Lines += f.Lines
		code, comment := lineKinds(f.Text)
		s.Code += code
		s.Comments += comment
	}
	return s
}

// lineKinds counts the lines of a text with code, and those with a comment alone.
func lineKinds(text string) (code, comment int) {
	var sc scanner.Scanner
	src := []byte(text)
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	sc.Init(file, src, nil, scanner.ScanComments)
	coded, commented := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		at := coded
		if tok == token.COMMENT {
			at = commented
		}
		line := file.Line(pos)
		for i := range strings.Count(lit, "\n") + 1 {
			at[line+i] = true
		}
	}
	for line := range commented {
		if !coded[line] {
			comment++
		}
	}
	return len(coded), comment
}
