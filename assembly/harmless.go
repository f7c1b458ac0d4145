package assembly

import (
	"strings"
	"unicode/utf8"
)

// marks are the words that, behind "<" or "</", mean something to a chat
// template, a tokenizer or to our own fences. A server reads them as control
// tokens wherever they stand in a prompt, so text that carries one could end its
// message and begin another in a different voice.
var marks = []string{
	"|", "｜", "<sys", "</sys", // ChatML, Llama 3, DeepSeek, Llama 2
	"s>", "bos>", "eos>", "pad>", "unk>",
	"start_of_", "end_of_", "start_function_", "end_function_",
	"tool", "function", "think", "final>", "seed:",
	"file ", "file>", "data ", "data>", "skills>", "context>",
}

// brackets are the words that mean the same behind "[" or "[/".
var brackets = []string{
	"inst]", "tool_calls]", "tool_results]", "available_tools]", "tool_content]",
	"system_prompt]", "args]", "call_id]", "think]", "hardshell:",
}

// Harmless defuses text that came from a file, a command or another model: after
// each "<" or "[" that opens a control mark it puts a space, and it drops
// control characters other than tab and line feed. CR line ends become LF. Other text stays as it is.
// Applying it twice changes nothing.
func Harmless(text string) string {
	text = lineEnds(strings.ToValidUTF8(text, "\uFFFD"))
	if isHarmless(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && isControl(byte(r)) {
			return -1
		}
		return r
	}, text)
	var b strings.Builder
	b.Grow(len(text) + 8)
	for i := range len(text) {
		b.WriteByte(text[i])
		if opensMark(text[i:]) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isHarmless reports whether valid text needs no change.
func isHarmless(text string) bool {
	for i := range len(text) {
		if isControl(text[i]) || opensMark(text[i:]) {
			return false
		}
	}
	return true
}

// isControl reports whether c is a C0 control character that has no place in a
// prompt, or DEL.
func isControl(c byte) bool { return c < 0x20 && c != '\n' && c != '\t' || c == 0x7f }

// opensMark reports whether s begins with a bracket and goes on as one of its
// marks, in any case, with or without a slash.
func opensMark(s string) bool {
	var table []string
	switch s[0] {
	case '<':
		table = marks
	case '[':
		table = brackets
	default:
		return false
	}
	s = strings.TrimPrefix(s[1:], "/")
	for _, m := range table {
		if len(s) >= len(m) && strings.EqualFold(s[:len(m)], m) {
			return true
		}
	}
	return false
}

// Fence puts text between data tags that it cannot close. From says where it came
// from.
func Fence(from, text string) string {
	return dataFence(from, strings.TrimRight(Harmless(text), "\n"))
}

// dataFence fences a text that is harmless already.
func dataFence(from, text string) string {
	return "<data from=\"" + strings.ReplaceAll(oneLine(from), `"`, "'") + "\">\n" + text + "\n</data>"
}

// oneLine makes a value safe to stand inside one of our own lines: defused, every
// run of blanks and line ends one space.
func oneLine(s string) string {
	return strings.Join(strings.Fields(Harmless(s)), " ")
}
