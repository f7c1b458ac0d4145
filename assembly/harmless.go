package assembly

import "strings"

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
	if !strings.ContainsAny(text, "<[") && strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, text)
	var b strings.Builder
	b.Grow(len(text) + 8)
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		rest := text[i+1:]
		if text[i] == '<' && opensMark(rest, marks) || text[i] == '[' && opensMark(rest, brackets) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// isControl reports whether r is a C0 control character that has no place in a
// prompt, or DEL.
func isControl(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f }

// opensMark reports whether s, the text behind an opening bracket, goes on as one
// of the marks, in any case, with or without a slash.
func opensMark(s string, table []string) bool {
	s = strings.TrimPrefix(s, "/")
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
