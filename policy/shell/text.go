package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// plainText is the text of a word without expansions; quotes are allowed.
func plainText(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescapeQuoted(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// writtenOut is the text of a word in which nothing expands: no variable, no
// unquoted star, brace or tilde.
func writtenOut(w *syntax.Word) (string, bool) {
	if w.Lit() == "[" { // no pattern without its end
		return "[", true
	}
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.ContainsAny(lit.Value, "*?[~{$") {
			return "", false
		}
		switch q := p.(type) {
		case *syntax.SglQuoted:
			if q.Dollar {
				return "", false
			}
		case *syntax.DblQuoted:
			if q.Dollar {
				return "", false
			}
		}
	}
	return plainText(w)
}

// unescape takes the backslashes out of unquoted text.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeQuoted takes the backslashes out of text in double quotes.
func unescapeQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && slices.Contains([]byte("$`\"\\\n"), s[i+1]) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
