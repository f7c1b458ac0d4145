package patch

import (
	"fmt"
	"slices"
	"strings"
)

const bom = "\ufeff"

// Apply gives the text that a change makes of the old one, and the lines of the old
// one where its hunks stand. A new file is made of the empty text. The error is a
// *Misfit where a hunk does not fit.
func (c *Change) Apply(old string) (now string, at []int, err error) {
	switch {
	case c.Kind == Remove:
		return "", nil, nil
	case c.Kind == Update && len(c.hunk) == 0: // it moves
		return old, nil, nil
	}
	mark := ""
	if strings.HasPrefix(old, bom) && !c.has(bom) { // read does not show it
		mark, old = bom, old[len(bom):]
	}
	t := &text{path: c.Path, s: old, crlf: strings.Contains(old, "\r\n") && strings.Count(old, "\r\n") == strings.Count(old, "\n")}
	open := old != "" && !strings.HasSuffix(old, "\n") && !slices.ContainsFunc(c.hunk, func(h hunk) bool { return h.marked })
	if open {
		t.s += map[bool]string{true: "\r\n", false: "\n"}[t.crlf]
	}
	now, at, err = c.put(t)
	if err != nil {
		return "", nil, err
	}
	if open { // its last line keeps having no end
		if t.crlf {
			now = strings.TrimSuffix(now, "\r\n")
		}
		now = strings.TrimSuffix(now, "\n")
	}
	if c.Kind == Update && now == old {
		return "", nil, fmt.Errorf("the patch changes nothing in %s; leave it out", c.Path)
	}
	return mark + now, at, nil
}

// has reports a text in one of the lines of a change.
func (c *Change) has(part string) bool {
	return slices.ContainsFunc(c.hunk, func(h hunk) bool {
		return slices.ContainsFunc(h.lines, func(l line) bool { return strings.Contains(l.text, part) })
	})
}

// put places every hunk in the old text and then makes the new one.
func (c *Change) put(t *text) (string, []int, error) {
	type placed struct {
		span
		h *hunk
	}
	var all []placed
	for i := range c.hunk {
		s, err := t.place(&c.hunk[i])
		if err != nil {
			return "", nil, err
		}
		all = append(all, placed{s, &c.hunk[i]})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.from - b.from })
	var b strings.Builder
	var at []int
	done, lines := 0, 1
	for i, p := range all {
		if i > 0 && p.from < all[i-1].to || i > 0 && t.s == "" {
			return "", nil, t.misfit(p.h, fmt.Sprintf("touches the same lines as hunk %d; make one hunk of the two", all[i-1].h.number))
		}
		lines += strings.Count(t.s[done:p.from], "\n")
		at = append(at, lines)
		b.WriteString(t.s[done:p.from])
		for _, l := range p.h.lines {
			if l.op != '-' {
				b.WriteString(l.text + t.end(p.h, l))
			}
		}
		lines += strings.Count(t.s[p.from:p.to], "\n")
		done = p.to
	}
	b.WriteString(t.s[done:])
	return b.String(), at, nil
}
