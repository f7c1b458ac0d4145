package wording

import (
	"strconv"
	"strings"
)

// Word shows a word as it is when nothing in it could be misread, else as Text does.
func Word(s string) string {
	if s == "" {
		return `""`
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_./=:,+@%", r):
		default:
			return Text(s)
		}
	}
	return s
}

// Text is a text in quotes with escapes. Letters of every script stand as they are;
// where one of them could pass for another or for none at all, the text stands a second
// time, with all but ASCII escaped.
func Text(s string) string {
	q, ascii := strconv.Quote(s), strconv.QuoteToASCII(s)
	switch {
	case strings.IndexFunc(q, lookalike) < 0:
		return q
	case strings.IndexFunc(q, Hidden) >= 0:
		return ascii
	}
	return q + " (written " + ascii + ")"
}

// lookalike reports a character that a reader may take for another one or may not see:
// all but ASCII, the accented letters of European languages, and a few signs of a lab.
func lookalike(r rune) bool {
	switch {
	case r < 0x80, r >= 0xc0 && r <= 0x130, r >= 0x132 && r < 0x17f:
		return false
	}
	return !strings.ContainsRune("§°±²³µ½€", r)
}

// Hidden reports characters that a reader can't see or that reorder what is seen.
func Hidden(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x034f, r == 0x061c, r == 0x180e, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r >= 0x115f && r <= 0x1160, r >= 0x17b4 && r <= 0x17b5,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}
