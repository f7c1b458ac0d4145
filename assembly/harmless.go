package assembly

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// harmless defuses text that came from a file, a command or another model: after
// each bracket that opens a mark it puts a blank, and it drops what nobody sees:
// control characters other than tab and line feed, and characters without width but
// for those that scripts and signs need. CR line ends become LF. Other text
// stays as it is. Applying it twice changes nothing.
func harmless(text string) string {
	text = lineEnds(strings.ToValidUTF8(text, "\uFFFD"))
	if !plain(text) {
		text = strings.Map(func(r rune) rune {
			if isHidden(r) {
				return -1
			}
			return r
		}, text)
	}
	return defuse(text, ours)
}

// HarmlessResult defuses the marks of chat templates in what a tool gave, those of
// roles and those that frame tools and thoughts. Our own fences don't stand around
// results, so their marks may: they are tags that many files have.
func HarmlessResult(text string) string { return defuse(text, frames) }

// HarmlessMessage defuses the marks of roles alone. No message, whoever wrote it, may
// end itself and begin another one in a different voice.
func HarmlessMessage(text string) string { return defuse(text, roles) }

// defuse puts a blank behind each bracket that opens a mark of a group up to most.
func defuse(text string, most group) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '<' && c != '[' && c < utf8.RuneSelf {
			continue
		}
		opener, size := utf8.DecodeRuneInString(text[i:])
		if table := marksOf(opener); table != nil && opensMark(text[i+size:], table, most) {
			b.WriteString(text[done:i+size] + " ")
			done = i + size
		}
		i += size - 1
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// opensMark reports whether s, which stands behind a bracket, goes on as one of its
// marks: in any case, with or without a slash, whatever invisible stands in between.
func opensMark(s string, table []mark, most group) bool {
	const longest = 24
	var seen [longest]byte
	n := 0
	for _, r := range s {
		if isHidden(r) || isJoiner(r) {
			continue
		}
		if r == '/' && n == 0 {
			continue
		}
		if r == '｜' {
			r = '|'
		}
		if r >= utf8.RuneSelf {
			break
		}
		seen[n] = byte(unicode.ToLower(r))
		if n++; n == longest {
			break
		}
	}
	got := string(seen[:n])
	for _, m := range table {
		if rest, ok := strings.CutPrefix(got, m.text); ok && m.group <= most && (m.open || rest == "" || !isWord(rest[0])) {
			return true
		}
	}
	return false
}

// isWord reports whether c goes on a word, so that <filesystem.h> is no <file>.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// isHidden reports whether nobody sees r: control characters other than tab and line
// feed, marks that turn the direction of writing, tags and fillers without width.
func isHidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f
	case isJoiner(r):
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf) || r >= 0xE0100 && r <= 0xE01EF
}

// isJoiner reports whether r joins or parts letters, or picks the form of the one
// before it: scripts and signs need them, a mark has none. A byte order mark within a
// text is content.
func isJoiner(r rune) bool {
	return r == '\u200c' || r == '\u200d' || r == '\ufeff' || r >= 0xFE00 && r <= 0xFE0F
}

// plain reports whether text is of visible ASCII, the common case.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || isHidden(rune(c)) {
			return false
		}
	}
	return true
}

// Fence puts text between data tags that it cannot close. From says where it came
// from.
func Fence(from, text string) string {
	return dataFence(from, strings.TrimRight(harmless(text), "\n"))
}

// dataFence fences a text that is harmless already.
func dataFence(from, text string) string {
	return "<data from=\"" + strings.ReplaceAll(oneLine(from), `"`, "'") + "\">\n" + text + "\n</data>"
}

// oneLine makes a value safe to stand inside one of our own lines: defused, every
// run of blanks and line ends one space.
func oneLine(s string) string {
	return strings.Join(strings.Fields(harmless(s)), " ")
}
