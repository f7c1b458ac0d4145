package policy

import (
	"path"
	"strings"
)

// glob is a path pattern; ** stands for any folders.
type glob struct {
	parts globParts
	// hint is text that every matching path holds, so that most patterns are
	// ruled out without splitting the path.
	hint string
}

// globParts is a pattern split at its slashes.
type globParts []globPart

// globPart is one part of a pattern.
type globPart struct {
	text string
	deep bool // **
	meta bool // holds *, ? or [
}

// compileGlob splits a pattern.
func compileGlob(pattern string) glob {
	var g glob
	for part := range strings.SplitSeq(pattern, "/") {
		g.parts = append(g.parts, globPart{part, part == "**", strings.ContainsAny(part, `*?[\`)})
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

// compileGlobs splits several.
func compileGlobs(patterns []string) []glob {
	out := make([]glob, len(patterns))
	for i, p := range patterns {
		out[i] = compileGlob(p)
	}
	return out
}

// match matches a path. A final ** matches the folder itself, too.
func (g glob) match(abs string) bool {
	return strings.Contains(abs, g.hint) && g.parts.match(strings.Split(abs, "/"))
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
