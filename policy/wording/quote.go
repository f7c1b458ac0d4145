package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Plain leaves out what a terminal would act on.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError) {
			return '?'
		}
		return r
	}, s)
}

// Quote is a word as it is shown in a reason: quoted, and cut when it is long.
func Quote(s string) string {
	const most = 120
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		return fmt.Sprintf("%q… (%d bytes)", s[:cut], len(s))
	}
	return strconv.Quote(s)
}
