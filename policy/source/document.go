package source

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MaxFile bounds a policy file, in bytes.
const MaxFile = 1 << 20

// Document is a file of which rules are read, with everything that is wrong with it.
type Document struct {
	name     string
	src      []byte
	problems []Problem
	ids      map[string]bool
}

// Read reads a file into a tree. name stands in messages.
func Read(name string, src []byte) (*Document, *Node, error) {
	d := &Document{name: name, src: bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), ids: map[string]bool{}}
	switch {
	case len(d.src) > MaxFile:
		d.Fail(Span{}, fmt.Sprintf("the file has %d bytes; a policy may have %d", len(d.src), MaxFile))
	case len(bytes.TrimSpace(d.src)) == 0:
		d.Fail(Span{}, "the file is empty; agent init writes the lab policy")
	case !utf8.Valid(d.src):
		d.Fail(Span{firstInvalid(d.src), 1}, "the file is not UTF-8 here; save it as UTF-8")
	}
	if d.problems != nil {
		return nil, nil, d.Err()
	}
	root, bad := readSource(d.src)
	if bad != nil {
		d.problems = append(d.problems, *bad)
		return nil, nil, d.Err()
	}
	return d, root, nil
}

// Fail records a problem.
func (d *Document) Fail(at Span, text string) {
	d.problems = append(d.problems, problem(d.src, at, text))
}

// Err is everything that is wrong, in the order of the file; nil when nothing is.
func (d *Document) Err() error {
	if d.problems == nil {
		return nil
	}
	sortProblems(d.problems)
	return &Error{d.name, d.problems}
}

// firstInvalid is the offset of the first byte that is not UTF-8.
func firstInvalid(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}
