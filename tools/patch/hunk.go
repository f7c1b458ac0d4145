package patch

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// hunk is one run of lines with what happens to each.
type hunk struct {
	number int // within its file, from 1
	at     int // its first line in the patch
	lines  []line
	from   int // its line in the old text, 0 when it was not said
	// anchors are lines that stand somewhere before it, each behind the last.
	anchors []string
	atEnd   bool // its last line is the last of the file
	marked  bool // it says where a newline is missing at the end of the file
}

// line is one line of a hunk. Its text has no line end.
type line struct {
	op   byte // ' ', '+' or '-'
	text string
	bare bool // no newline follows it
}

// count gives the lines that a hunk takes and gives.
func (h *hunk) count() (old, new int) {
	for _, l := range h.lines {
		if l.op != '+' {
			old++
		}
		if l.op != '-' {
			new++
		}
	}
	return old, new
}

var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)
})

// announced is the size of a hunk as its first line says it; -1 when it says none.
type announced struct{ old, new int }

func (a announced) unknown() bool { return a.old < 0 }

// hunks reads the hunks of one file.
func (r *reader) hunks(c *Change) error {
	for !r.done() && !r.ends() {
		h := hunk{at: r.n + 1, number: len(c.hunk) + 1}
		size := announced{-1, -1}
		for strings.HasPrefix(r.peek(), "@@") {
			size = r.head(&h)
			r.n++
		}
		if err := r.body(&h, size); err != nil {
			return err
		}
		if len(h.lines) > 0 {
			c.hunk = append(c.hunk, h)
		} else if len(h.anchors) > 0 || !size.unknown() {
			return r.wrong("hunk %d of %s holds no line; write its lines behind the @@", h.number, c.Path)
		}
	}
	return nil
}

// head reads a line that begins with @@.
func (r *reader) head(h *hunk) announced {
	m := numbers().FindStringSubmatch(r.peek())
	if m == nil {
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(r.peek()[2:]), "@@"))
		if text != "" && text != "..." {
			h.anchors = append(h.anchors, text)
		}
		return announced{-1, -1}
	}
	number := func(s string) int {
		if s == "" {
			return 1
		}
		n, _ := strconv.Atoi(s) // at most nine digits
		return n
	}
	h.from = number(m[1])
	return announced{number(m[2]), number(m[4])}
}

// ends reports that the line to read belongs to no hunk of this file any more.
func (r *reader) ends() bool {
	return strings.HasPrefix(r.peek(), "*** ") && !isEndOfFile(r.peek())
}

func isEndOfFile(line string) bool { return strings.TrimSpace(line) == endOfFile }

// body reads the lines of a hunk.
func (r *reader) body(h *hunk, size announced) error {
	empty := 0 // lines at its end that have not even a blank
	for ; !r.done() && !r.ends() && !strings.HasPrefix(r.peek(), "@@"); r.n++ {
		text := r.peek()
		switch {
		case text == "":
			h.lines = append(h.lines, line{op: ' '})
			empty++
			continue
		case isEndOfFile(text):
			h.atEnd = true
			r.n++
			return r.sized(h, size, empty)
		case text[0] == '\\':
			if len(h.lines) == 0 {
				return r.wrong("%s follows no line", quoted(text))
			}
			h.lines[len(h.lines)-1].bare, h.marked = true, true
		case strings.IndexByte(" +-", text[0]) >= 0:
			h.lines = append(h.lines, line{op: text[0], text: text[1:]})
		default:
			return r.wrong("%s begins with no mark; each line of a hunk begins with a blank (unchanged), + or -", quoted(text))
		}
		empty = 0
	}
	return r.sized(h, size, empty)
}

// sized takes off the empty lines that belong to no hunk and holds it to its
// announced size.
func (r *reader) sized(h *hunk, size announced, empty int) error {
	old, new := h.count()
	for ; empty > 0 && (size.unknown() || old > size.old); empty-- {
		h.lines = h.lines[:len(h.lines)-1]
		old, new = h.count()
	}
	if !size.unknown() && (old != size.old || new != size.new) {
		r.n = h.at - 1
		return r.wrong("hunk %d is announced with %d old and %d new lines and holds %d and %d; correct its numbers, or write @@ alone", h.number, size.old, size.new, old, new)
	}
	return nil
}
