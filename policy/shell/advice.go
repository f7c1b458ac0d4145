package shell

import "strings"

// otherForms are forms of other shells, by a piece of what the parser says of them, and
// how POSIX says the same.
var otherForms = []struct{ piece, hint string }{
	{"&>", "write: > FILE 2>&1"},
	{"|&", "write: 2>&1 |"},
	{"herestring", "write: echo TEXT | PROGRAM, or give stdin"},
	{"arrays", "write the words out, or use for WORD in …"},
	{"must be followed by a word", "write the output to a file first, then name the file"},
	{"process subst", "write the output to a file first, then name the file"},
}

// parserHint is how to say what the parser did not take.
func parserHint(said string) string {
	for _, f := range otherForms {
		if strings.Contains(said, f.piece) {
			return f.hint
		}
	}
	return "write it plainly, or use argv"
}
