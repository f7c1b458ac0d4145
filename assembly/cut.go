package assembly

import (
	"strings"
	"unicode/utf8"
)

// The shares of a limit that a long text keeps; the rest pays for the mark.
const (
	headShare = 70 // percent
	tailShare = 20 // percent
	// smallest is the budget in characters under which a text stays out whole.
	smallest = 64
)

// budget bounds a text twice: in characters, as the limits are written, and in
// bytes, which is what a window's tokens go with.
type budget struct{ chars, bytes int }

// unbounded is a size that never bites.
const unbounded = int(^uint(0) >> 1)

// holds reports whether text fits.
func (b budget) holds(text string) bool {
	return len(text) <= b.bytes && (len(text) <= b.chars || utf8.RuneCountInString(text) <= b.chars)
}

// spend takes a text off the budget.
func (b budget) spend(text string) budget {
	if b.chars != unbounded {
		b.chars -= utf8.RuneCountInString(text)
	}
	if b.bytes != unbounded {
		b.bytes -= len(text)
	}
	return b
}

// share is a part of the budget.
func (b budget) share(percent, of int) budget {
	part := func(n int) int {
		if n == unbounded {
			return n
		}
		return int(int64(n) * int64(percent) / int64(of))
	}
	return budget{part(b.chars), part(b.bytes)}
}

// isSmall reports whether too little is left to show a piece of a text.
func (b budget) isSmall() bool { return b.chars < smallest || b.bytes < smallest }

// cutText is a text that was shortened: Head and Tail are kept, Out lies between
// them. All three together are the text.
type cutText struct{ head, out, tail string }

// cut shortens a text that the budget does not hold. Mark writes the mark between
// head and tail; what it costs beyond the tenth that is left for it is taken off
// head and tail alike, so that the result is within the budget. It reports false
// when too little is left to show anything.
func cut(text string, b budget, mark func(cutText) string) (cutText, string, bool) {
	c := split(text, b.share(headShare, 100), b.share(tailShare, 100))
	whole := c.head + mark(c) + c.tail
	if b.holds(whole) {
		return c, whole, !b.isSmall()
	}
	// The numbers inside the mark only get shorter from here on.
	rest := b.spend(mark(c))
	if rest.isSmall() {
		return cutText{out: text}, "", false
	}
	c = split(text, rest.share(headShare, headShare+tailShare), rest.share(tailShare, headShare+tailShare))
	return c, c.head + mark(c) + c.tail, true
}

// split cuts a text between characters.
func split(text string, head, tail budget) cutText {
	h := 0
	for n := 0; n < head.chars && h < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[h:])
		if h+size > head.bytes {
			break
		}
		h += size
	}
	t := len(text)
	for n := 0; n < tail.chars && t > h; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:t])
		if len(text)-t+size > tail.bytes {
			break
		}
		t -= size
	}
	return cutText{text[:h], text[h:t], text[t:]}
}

// headings are the Markdown headings that begin in a text.
func headings(text string) []string {
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		if t := strings.TrimLeft(l, "#"); t != l && len(l)-len(t) <= 6 && strings.HasPrefix(t, " ") {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}
