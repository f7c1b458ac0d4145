package patch

import (
	"fmt"
	"strings"
)

// Misfit is the error for a hunk that does not stand in the text, or not alone.
type Misfit struct {
	Path string
	Hunk int // number within its file, from 1
	At   int // its first line in the patch
	// Line is the place in the file that comes nearest, from 1; 0 when nothing does.
	// Has is that line as it is, Wants as the hunk has it.
	Line       int
	Has, Wants string
	Lines      []int // where it stands, when that is more than one place
	Why        string
}

func (e *Misfit) Error() string {
	return fmt.Sprintf("hunk %d of %s (line %d of the patch) %s", e.Hunk, e.Path, e.At, e.Why)
}

// text is what hunks are placed in: the old text with a newline behind its last
// line, unless the patch itself says that there is none.
type text struct {
	path, s string
	crlf    bool // every line ends in CRLF, which read shows as a newline
}

// span is the part of the old text that a hunk takes.
type span struct{ from, to int }

// maxShown is how many places of a hunk that stands in several are named.
const maxShown = 5

// place finds where a hunk belongs. It must stand there exactly.
func (t *text) place(h *hunk) (span, error) {
	old := t.wants(h)
	if old == "" {
		if t.s == "" {
			return span{}, nil
		}
		return span{}, t.misfit(h, "holds added lines alone, so nothing says where they belong; take some unchanged lines around them into it")
	}
	start, err := t.behind(h)
	if err != nil {
		return span{}, err
	}
	found := t.find(old, start, h)
	switch {
	case len(found) == 1:
		return span{found[0], found[0] + len(old)}, nil
	case len(found) == 0:
		return span{}, t.nearest(h, start)
	}
	if at := t.line(h.from); at >= start && t.stands(old, at) {
		return span{at, at + len(old)}, nil
	}
	e := t.misfit(h, "stands at several places; take more of the lines around the one you mean, or write its line number as @@ -LINE,OLD +LINE,NEW @@")
	for _, at := range found[:min(len(found), maxShown)] {
		e.Lines = append(e.Lines, 1+strings.Count(t.s[:at], "\n"))
	}
	return span{}, e
}

// wants is the text that a hunk must find.
func (t *text) wants(h *hunk) string {
	var b strings.Builder
	for _, l := range h.lines {
		if l.op != '+' {
			b.WriteString(l.text + t.end(h, l))
		}
	}
	return b.String()
}

// end is the line end that a line of a hunk has in this text.
func (t *text) end(h *hunk, l line) string {
	switch {
	case l.bare:
		return ""
	case t.crlf && h.plain():
		return "\r\n"
	}
	return "\n"
}

// plain reports a hunk that knows nothing of carriage returns and has something to
// find.
func (h *hunk) plain() bool {
	old, _ := h.count()
	for _, l := range h.lines {
		if strings.Contains(l.text, "\r") {
			return false
		}
	}
	return old > 0 && !h.marked
}

// find lists the first places where old stands, one more than are shown.
func (t *text) find(old string, start int, h *hunk) []int {
	if h.atEnd {
		if at := len(t.s) - len(old); at >= start && t.stands(old, at) {
			return []int{at}
		}
		return nil
	}
	var out []int
	for at := start; len(out) <= maxShown; {
		// At the start of a line only: the newline before it is looked for as well,
		// so that no long line is gone through again and again.
		if at > 0 {
			i := strings.Index(t.s[at-1:], "\n"+old)
			if i < 0 {
				return out
			}
			at += i
		} else if !strings.HasPrefix(t.s, old) {
			at++
			continue
		}
		if t.stands(old, at) {
			out = append(out, at)
		}
		at++
	}
	return out
}

// stands reports that old is whole lines at a place.
func (t *text) stands(old string, at int) bool {
	if at < 0 || at > len(t.s) || at > 0 && t.s[at-1] != '\n' || !strings.HasPrefix(t.s[at:], old) {
		return false
	}
	return strings.HasSuffix(old, "\n") || at+len(old) == len(t.s)
}

// line is where a line begins, from 1; -1 when there is none of that number.
func (t *text) line(n int) int {
	at := 0
	for ; n > 1; n-- {
		i := strings.IndexByte(t.s[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	if n < 1 {
		return -1
	}
	return at
}

// behind is the place behind the lines that a hunk names with @@; each must stand
// there once.
func (t *text) behind(h *hunk) (int, error) {
	start := 0
	for _, want := range h.anchors {
		at, n, seen := start, 0, 0
		for l := range strings.Lines(t.s[start:]) {
			at += len(l)
			if strings.TrimSpace(l) == want {
				n, seen = n+1, at
			}
		}
		if n != 1 {
			how := fmt.Sprintf("is to stand behind the line %s, which stands %d times; name another one behind @@, or none", quoted(want), n)
			if n == 0 {
				how = fmt.Sprintf("is to stand behind the line %s, which is not there; copy the line exactly, or write @@ alone", quoted(want))
			}
			return 0, t.misfit(h, how)
		}
		start = seen
	}
	return start, nil
}

func (t *text) misfit(h *hunk, why string) *Misfit {
	return &Misfit{Path: t.path, Hunk: h.number, At: h.at, Why: why}
}

// The search for the nearest text compares the first lines of a hunk with each place,
// and no more lines than these in all.
const (
	maxCompared = 1 << 20
	compared    = 8
)

// nearest is the error for a hunk that stands nowhere: the place where most of its
// first lines stand, but for their blanks, and the first line that differs there.
func (t *text) nearest(h *hunk, start int) *Misfit {
	var old []string
	for _, l := range h.lines {
		if l.op != '+' {
			old = append(old, l.text)
		}
	}
	e := t.misfit(h, "does not stand in the file like that; read the place again and copy its lines exactly")
	lines := strings.Split(strings.TrimSuffix(t.s[start:], "\n"), "\n")
	first, best := 1+strings.Count(t.s[:start], "\n"), 0
	few := min(len(old), compared)
	for i := range min(len(lines), maxCompared/few) {
		score, off := 0, -1
		for j := range few {
			has := ""
			if i+j < len(lines) {
				has = trimCR(lines[i+j])
			}
			if off < 0 && has != old[j] {
				off = j
			}
			score += alike(has, old[j])
		}
		if score > best {
			best = score
			off = max(off, 0)
			e.Line, e.Wants, e.Has = first+i+off, old[off], ""
			if i+off < len(lines) {
				e.Has = lines[i+off]
			}
		}
	}
	return e
}

// alike says how much two lines have in common: 0 nothing, 1 how they begin, 2 all
// but blanks, 3 everything.
func alike(a, b string) int {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	begins := min(len(b), 2+len(b)/3)
	switch {
	case a == "" || b == "":
		return 0
	case a == b:
		return 3
	case strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " "):
		return 2
	case strings.HasPrefix(a, b[:begins]):
		return 1
	}
	return 0
}

func trimCR(s string) string { return strings.TrimSuffix(s, "\r") }
