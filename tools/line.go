package tools

import (
	"strings"
	"unicode/utf8"

	"hardshell/policy"
	"hardshell/policy/wording"
)

// maxLine is how much of a command stands where commands are listed, in characters.
const maxLine = 100

// Line is a command as it stands where commands are listed: one line, cut.
func Line(x *policy.Exec) string {
	var words []string
	for _, w := range x.Argv {
		words = append(words, wording.Word(w))
	}
	s := strings.Join(words, " ")
	if x.Script != "" {
		s = "script " + wording.Text(x.Script)
	}
	if utf8.RuneCountInString(s) > maxLine {
		s = string([]rune(s)[:maxLine]) + "…"
	}
	return s
}
