package argv

import (
	"regexp"
	"strings"
	"sync"
)

// A program text of a small language (awk, sed, jq) that a rule allows as an argument
// may compute and print, and neither start a program nor name a file. What the checks
// can't follow is not harmless.

// The expressions below are compiled when the first program text is judged: most
// starts of the program judge none.
var (
	jqReaches  = lazily(`(?i)\b(import|include|env|input_filename|inputs?_?line|get_search_list|modulemeta|debug|stderr|halt_error)\b|\$ENV|\$__`)
	awkReaches = lazily(`system|getline|ARG[VC]|SYMTAB|PROCINFO|ENVIRON|FUNCTAB|@|\\[0-7x]|/inet|close|fflush`)
	// A comparison with a number is the one use of > that is let through.
	awkGreater = lazily(`^(=|\s*[0-9]+(\.[0-9]+)?\s*($|[)};&|?{]))`)
)

// lazily compiles an expression once it is needed.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// awkIsHarmless accepts awk that opens nothing: no pipe, no redirection, no
// system, no file of its own choice.
func awkIsHarmless(text string) bool {
	if awkReaches().MatchString(text) {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '|':
			if i+1 >= len(text) || text[i+1] != '|' {
				return false
			}
			i++
		case '>':
			if i+1 < len(text) && text[i+1] == '>' || !awkGreater().MatchString(text[i+1:]) || awkPrintsInto(text[:i]) {
				return false
			}
		}
	}
	return true
}

// awkPrintsInto tells whether a > behind this text may belong to a print, which then
// writes to a file of that name: print > 5. Only where no print stands before it, or
// where it stands in parentheses that no string or pattern can feign, may it not.
func awkPrintsInto(before string) bool {
	return strings.Contains(before, "print") &&
		(strings.ContainsAny(before, `"/`) || strings.Count(before, "(") <= strings.Count(before, ")"))
}

// sedCommand is one command of sed that only edits the stream: print, delete,
// quit, line number, or a substitution without the flags that run or write.
var sedCommand = lazily(`^\s*([0-9]+(?:~[0-9]+)?|\$|/[^/\n\\]*/)?(\s*,\s*(\+?[0-9]+|\$|/[^/\n\\]*/))?\s*!?\s*` +
	`([pdq=]|y/[^/\n]*/[^/\n]*/|s(/[^/\n]*/[^/\n]*/|\|[^|\n]*\|[^|\n]*\||,[^,\n]*,[^,\n]*,|#[^#\n]*#[^#\n]*#)[gpiI0-9]*)\s*$`)

var (
	sedEscape  = lazily(`\\([/|,#;\n]|$)`)
	sedClass   = lazily(`\[:[a-z]+:\]`)
	sedBracket = lazily(`\[\^?\]?[^\]/|,#;\n\\[]*\]`)
)

// sedIsHarmless accepts commands joined by ; or a newline. What would let sed see
// the end of a pattern elsewhere than the expression above is refused: escaped
// delimiters, delimiters in brackets.
func sedIsHarmless(text string) bool {
	if sedEscape().MatchString(text) {
		return false
	}
	text = sedClass().ReplaceAllString(text, "a")
	if strings.Contains(sedBracket().ReplaceAllString(text, "a"), "[") {
		return false
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		if !sedCommand().MatchString(part) {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// jqIsHarmless reports whether a jq program reads no file, module or environment.
func jqIsHarmless(text string) bool { return !jqReaches().MatchString(text) }
