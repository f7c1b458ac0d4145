package argv

import "strings"

// The forms of single words, in plain loops: they are asked for each word of each
// command, and a start waits for none of them.

// digit tells whether a byte is a decimal digit.
func digit(c byte) bool { return c >= '0' && c <= '9' }

// letter tells whether a byte is an ASCII letter.
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// alnum tells whether a byte is an ASCII letter or a digit.
func alnum(c byte) bool { return digit(c) || letter(c) }

// digits cuts up to 18 digits off the beginning; ok is false when there is none,
// and more stay behind.
func digits(s string) (rest string, ok bool) {
	n := 0
	for n < len(s) && n < 18 && digit(s[n]) {
		n++
	}
	return s[n:], n > 0
}

// unsigned is a number's text without its sign.
func unsigned(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// WholeNumber tells whether a word is a whole number: a sign or none, 1 to 18 digits.
func WholeNumber(s string) bool {
	rest, ok := digits(unsigned(s))
	return ok && rest == ""
}

// anyNumber tells whether a word is a number with or without a fraction, and with a
// unit of up to three letters or percent signs: 10k, 0.5s, 60%.
func anyNumber(s string) bool {
	rest, ok := digits(unsigned(s))
	if !ok {
		return false
	}
	if fraction, dot := strings.CutPrefix(rest, "."); dot {
		if rest, ok = digits(fraction); !ok {
			return false
		}
	}
	if len(rest) > 3 {
		return false
	}
	for i := range len(rest) {
		if !letter(rest[i]) && rest[i] != '%' {
			return false
		}
	}
	return true
}

// PlainName tells whether a word is a plain name: up to 128 letters, digits and
// _ . : , @ + -, and no flag.
func PlainName(s string) bool {
	if s == "" || len(s) > 128 || strings.IndexByte(":,@+-", s[0]) >= 0 {
		return false
	}
	for i := range len(s) {
		if !alnum(s[i]) && strings.IndexByte("_.:,@+-", s[i]) < 0 {
			return false
		}
	}
	return true
}

// EnvName tells whether a word is a variable's name.
func EnvName(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" && (s[0] < '0' || s[0] > '9')
}

// CouldBePath is false for text that no file can be called: a part longer than
// 255 bytes, 4096 bytes in all, a NUL.
func CouldBePath(text string) bool {
	if text == "" || len(text) >= 4096 || strings.IndexByte(text, 0) >= 0 {
		return false
	}
	if len(text) > 255 {
		for part := range strings.SplitSeq(text, "/") {
			if len(part) > 255 {
				return false
			}
		}
	}
	return true
}

// Under is a path as it is looked up: relative ones beneath a folder.
func Under(cwd, text string) string {
	if cwd == "" || strings.HasPrefix(text, "/") {
		return text
	}
	return cwd + "/" + text
}
