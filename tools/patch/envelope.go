package patch

import "strings"

// The marks of the envelope.
const (
	begin      = "*** Begin Patch"
	end        = "*** End Patch"
	updateFile = "*** Update File:"
	addFile    = "*** Add File:"
	deleteFile = "*** Delete File:"
	moveTo     = "*** Move to:"
	endOfFile  = "*** End of File"
)

// envelope reads from "*** Begin Patch" to "*** End Patch".
func (r *reader) envelope() ([]Change, error) {
	r.n++
	var out []Change
	for {
		r.skipBlank()
		line := strings.TrimSpace(r.peek())
		switch {
		case r.done():
			return nil, r.wrong("the patch ends without %q; send it whole", end)
		case line == end:
			r.n++
			if r.skipBlank(); !r.done() {
				return nil, r.wrong("%s stands behind %q; leave it out", quoted(r.peek()), end)
			}
			return out, nil
		}
		c, err := r.section(line)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
}

// section reads one file of the envelope.
func (r *reader) section(line string) (Change, error) {
	c := Change{at: r.n + 1}
	for _, k := range []struct {
		mark string
		kind Kind
	}{{updateFile, Update}, {addFile, Add}, {deleteFile, Remove}} {
		if path, ok := strings.CutPrefix(line, k.mark); ok {
			c.Kind, c.Path = k.kind, strings.TrimSpace(path)
		}
	}
	switch {
	case c.Kind == "":
		return c, r.wrong("%s begins no file; write %q, %q or %q", quoted(line), updateFile+" PATH", addFile+" PATH", deleteFile+" PATH")
	case c.Path == "":
		return c, r.wrong("%s names no file; write its path behind the colon", quoted(line))
	}
	r.n++
	switch c.Kind {
	case Add:
		return c, r.added(&c)
	case Remove:
		return c, nil
	}
	if to, ok := strings.CutPrefix(strings.TrimSpace(r.peek()), moveTo); ok {
		if c.To = strings.TrimSpace(to); c.To == "" {
			return c, r.wrong("%q names no file; write its path behind the colon", moveTo)
		}
		r.n++
	}
	return c, r.hunks(&c)
}

// added reads the lines of a new file.
func (r *reader) added(c *Change) error {
	h := hunk{at: r.n + 1, number: 1}
	for ; !r.done() && !strings.HasPrefix(r.peek(), "*** "); r.n++ {
		text, ok := strings.CutPrefix(r.peek(), "+")
		if !ok && (r.peek() != "" || !r.blankToMark()) {
			return r.wrong("%s does not begin with +; each line of a new file does", quoted(r.peek()))
		}
		if ok {
			h.lines = append(h.lines, line{op: '+', text: text})
		}
	}
	if len(h.lines) > 0 {
		c.hunk = []hunk{h}
	}
	return nil
}

// blankToMark reports that only empty lines come before the next mark.
func (r *reader) blankToMark() bool {
	for i := r.n; i < len(r.lines); i++ {
		if r.lines[i] != "" {
			return strings.HasPrefix(r.lines[i], "*** ")
		}
	}
	return true
}
