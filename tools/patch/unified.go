package patch

import (
	"strconv"
	"strings"
)

const devNull = "/dev/null"

// unified reads a diff as git or diff -u write it.
func (r *reader) unified() ([]Change, error) {
	var out []Change
	for r.skipBlank(); !r.done() && r.peek() != "-- "; r.skipBlank() { // "-- " begins a mail's signature
		d := diff{c: Change{Kind: Update, at: r.n + 1}}
		if err := r.heads(&d); err != nil {
			return nil, err
		}
		if err := r.hunks(&d.c); err != nil {
			return nil, err
		}
		out = append(out, d.c)
	}
	return out, nil
}

// diff is one file of a unified diff while its head is read.
type diff struct {
	c        Change
	old, new string // the names, as "--- " and "+++ " give them
	git      bool   // "diff --git" stands before it
}

// heads reads the lines before the first hunk of a file.
func (r *reader) heads(d *diff) error {
	if rest, ok := strings.CutPrefix(r.peek(), "diff --git "); ok {
		d.git = true
		d.old, d.new = gitNames(rest)
		for r.n++; !r.done() && !r.ends(true) && !strings.HasPrefix(r.peek(), "@@"); r.n++ {
			if err := r.extended(d); err != nil {
				return err
			}
			if r.peek() == "" {
				break
			}
		}
	}
	if strings.HasPrefix(r.peek(), "--- ") && strings.HasPrefix(r.ahead(1), "+++ ") {
		d.old, d.new = name(r.peek()[4:]), name(r.ahead(1)[4:])
		r.n += 2
	} else if !d.git {
		return r.wrong("%s begins no file; begin the patch with %q, or a file with \"--- a/PATH\" and \"+++ b/PATH\"", quoted(r.peek()), begin)
	}
	return r.names(d)
}

// extended reads one of git's lines between "diff --git" and "---".
func (r *reader) extended(d *diff) error {
	word := func(prefix string) (string, bool) { return strings.CutPrefix(r.peek(), prefix) }
	if mode, ok := word("new file mode "); ok {
		d.c.Kind = Add
		if mode != "100644" {
			return r.wrong("a new file can't have the mode %s here; write 100644, and change the mode with a program", mode)
		}
		return nil
	}
	if _, ok := word("deleted file mode "); ok {
		d.c.Kind = Remove
		return nil
	}
	if from, ok := word("rename from "); ok {
		d.old = "a/" + name(from)
		return nil
	}
	if to, ok := word("rename to "); ok {
		d.new = "b/" + name(to)
		return nil
	}
	for _, prefix := range []string{"index ", "similarity index ", "dissimilarity index "} {
		if _, ok := word(prefix); ok {
			return nil
		}
	}
	switch {
	case r.peek() == "":
		return nil
	case strings.HasPrefix(r.peek(), "old mode "), strings.HasPrefix(r.peek(), "new mode "):
		return r.wrong("a patch leaves modes as they are; take the mode lines out, and change the mode with a program")
	case strings.HasPrefix(r.peek(), "Binary files "), strings.HasPrefix(r.peek(), "GIT binary patch"):
		return r.wrong("this is no text; write the file with a program")
	}
	return r.wrong("%s is not known here; write \"--- a/PATH\" and \"+++ b/PATH\" next", quoted(r.peek()))
}

// names settles which file is meant and what happens to it.
func (r *reader) names(d *diff) error {
	if d.new == devNull {
		d.c.Kind, d.new = Remove, ""
	}
	if d.old == devNull {
		d.c.Kind, d.old = Add, ""
	}
	old, new := d.old, d.new
	a, okA := strings.CutPrefix(old, "a/")
	b, okB := strings.CutPrefix(new, "b/")
	if (okA || old == "") && (okB || new == "") {
		old, new = a, b
	}
	switch d.c.Kind {
	case Add:
		d.c.Path = new
	case Remove:
		d.c.Path = old
	default:
		d.c.Path = old
		if new != old {
			d.c.To = new
		}
		if d.c.To != "" && !d.git {
			return r.wrong("the file is called %s and %s; write one name in both lines", quoted(old), quoted(new))
		}
	}
	if d.c.Path == "" || d.c.Kind == Update && new == "" {
		return r.wrong("it can't be told which file is meant; write \"--- a/PATH\" and \"+++ b/PATH\"")
	}
	return nil
}

// name is a file name as a diff writes it: perhaps in quotes, perhaps with a time
// behind a tab.
func name(s string) string {
	if strings.HasPrefix(s, `"`) {
		if q, err := strconv.QuotedPrefix(s); err == nil {
			if plain, err := strconv.Unquote(q); err == nil {
				return plain
			}
		}
	}
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimRight(s, " \r")
}

// gitNames takes "a/NAME b/NAME" apart; empty when the names differ, as they do
// only where other lines tell them.
func gitNames(s string) (old, new string) {
	if strings.HasPrefix(s, `"`) {
		if q, err := strconv.QuotedPrefix(s); err == nil && len(s) > len(q) {
			return name(q), name(s[len(q)+1:])
		}
	}
	half := len(s) / 2
	if len(s)%2 == 1 && s[half] == ' ' && strings.TrimPrefix(s[:half], "a/") == strings.TrimPrefix(s[half+1:], "b/") {
		return s[:half], s[half+1:]
	}
	return "", ""
}
