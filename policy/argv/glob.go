package argv

import (
	"path"
	"strings"
)

// Glob is a path pattern; ** stands for any folders.
type Glob struct {
	parts globParts
	// start is how every matching path begins, and hint is text that it holds, so
	// that most patterns are ruled out without splitting the path.
	start, hint string
	hidden      bool // a name that begins with a dot is a part of it
}

// globParts is a pattern split at its slashes.
type globParts []globPart

// globPart is one part of a pattern.
type globPart struct {
	text string
	deep bool // **
	meta bool // holds *, ? or [
}

// CompileGlob splits a pattern.
func CompileGlob(pattern string) Glob {
	var g Glob
	for part := range strings.SplitSeq(pattern, "/") {
		g.parts = append(g.parts, globPart{part, part == "**", strings.ContainsAny(part, `*?[\`)})
		g.hidden = g.hidden || strings.HasPrefix(part, ".")
	}
	g.start = pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		g.start = pattern[:i]
	}
	if strings.HasPrefix(pattern[len(g.start):], "**") {
		g.start = strings.TrimSuffix(g.start, "/") // ** stands for no folder, too
	}
	plain, _, _ := strings.Cut(pattern, "[")
	plain, _, _ = strings.Cut(plain, `\`)
	for piece := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '*' || r == '?' }) {
		if piece = strings.Trim(piece, "/"); len(piece) > len(g.hint) {
			g.hint = piece
		}
	}
	return g
}

// Hidden tells whether every path that matches holds a name that begins with a dot.
func (g Glob) Hidden() bool { return g.hidden }

// AnyMatches tells whether one of several patterns matches a path.
func AnyMatches(globs []Glob, abs string) bool {
	for i := range globs {
		if globs[i].Match(abs) {
			return true
		}
	}
	return false
}

// Match matches a path. A final ** matches the folder itself, too.
func (g Glob) Match(abs string) bool {
	return strings.HasPrefix(abs, g.start) && strings.Contains(abs, g.hint) && g.parts.match(strings.Split(abs, "/"))
}

// match matches a path that is split at its slashes.
func (g globParts) match(parts []string) bool {
	for len(g) > 0 {
		if g[0].deep {
			if len(g) == 1 {
				return true
			}
			for i := range len(parts) + 1 {
				if g[1:].match(parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 || !g[0].fits(parts[0]) {
			return false
		}
		g, parts = g[1:], parts[1:]
	}
	return len(parts) == 0
}

// fits matches one part.
func (p globPart) fits(part string) bool {
	if !p.meta {
		return p.text == part
	}
	ok, err := path.Match(p.text, part)
	return ok && err == nil
}
