package patch

import (
	"fmt"
	"strings"
)

// The bounds of one patch. A larger one is refused.
const (
	maxBytes = 256 << 10 // of its text
	maxFiles = 32        // that it names
)

// Kind is what a patch does to a file.
type Kind string

// The kinds.
const (
	Add    Kind = "add"    // make a file that is not there
	Update Kind = "update" // change a file, and move it where To is set
	Remove Kind = "remove" // delete a file
)

// Change is what a patch does to one file.
type Change struct {
	Kind Kind
	Path string // as the patch names it
	To   string // the new name of a file that moves, else empty
	at   int    // its first line in the patch
	hunk []hunk
}

// Parse reads a patch. Errors name the line of the patch and what to write instead.
func Parse(text string) ([]Change, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("the patch has %d bytes, at most %d are taken; split it", len(text), maxBytes)
	}
	if n := strings.Count(text, "\n"); n > 0 && strings.Count(text, "\r\n") == n { // written with CRLF as a whole
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	r := &reader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	r.skipBlank()
	switch {
	case r.done():
		return nil, fmt.Errorf("the patch is empty; begin it with %q", begin)
	case r.unified():
		return nil, r.wrong("this is a unified diff, which is not taken; write %q, for each file %q with its hunks (or %q, %q), and at last %q", begin, updateFile+" PATH", addFile+" PATH", deleteFile+" PATH", end)
	case strings.TrimSpace(r.peek()) != begin:
		return nil, r.wrong("%s begins no patch; begin it with %q", quoted(r.peek()), begin)
	}
	changes, err := r.envelope()
	for _, c := range changes {
		if c.Kind == Update && c.To == "" && len(c.hunk) == 0 && err == nil {
			err = fmt.Errorf("line %d of the patch: nothing happens to %s; write its hunks behind that line", c.at, c.Path)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(changes) == 0:
		return nil, fmt.Errorf("the patch names no file; write %q and its hunks", updateFile+" PATH")
	case len(changes) > maxFiles:
		return nil, fmt.Errorf("the patch names %d files, at most %d are taken; split it", len(changes), maxFiles)
	}
	return changes, nil
}

// reader goes through the lines of a patch.
type reader struct {
	lines []string
	n     int // lines read so far
}

func (r *reader) done() bool { return r.n >= len(r.lines) }

// peek is the line to read, empty at the end.
func (r *reader) peek() string {
	if r.done() {
		return ""
	}
	return r.lines[r.n]
}

// unified reports that the line to read begins a diff as git or diff -u write it.
func (r *reader) unified() bool {
	for _, head := range []string{"diff ", "--- ", "Index: ", "@@ "} {
		if strings.HasPrefix(r.peek(), head) {
			return true
		}
	}
	return false
}

func (r *reader) skipBlank() {
	for !r.done() && strings.TrimSpace(r.peek()) == "" {
		r.n++
	}
}

// wrong is an error about the line to read.
func (r *reader) wrong(format string, a ...any) error {
	return fmt.Errorf("line %d of the patch: %s", r.n+1, fmt.Sprintf(format, a...))
}

// quoted shows a line of the patch in an error.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], ""))
	}
	return fmt.Sprintf("%q", s)
}
