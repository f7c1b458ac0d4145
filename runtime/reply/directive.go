package reply

import (
	"regexp"
	"strings"
	"sync"
)

// Output directives are marks in an answer that are for the runtime and not for the
// person (prompt.reply_tags). [[file:PATH]] on a line of its own attaches a file. A
// mark for whom an answer is, [[reply:…]] or [[reply_to…]], is taken off the front:
// an answer goes to who asked.

// fileMark opens a line that attaches a file.
const fileMark = "[[file:"

// MostFiles is how many files one answer attaches.
const MostFiles = 8

// replyMark is the mark for whom an answer is, with the blanks behind it.
var replyMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[\[reply(_to[a-z_]*)?\s*(:[^\]\n]*)?\]\]\s*`)
})

// afterReplyMark is what stands behind such a mark at the start of a text, empty
// when there is none.
func afterReplyMark(text string) string {
	if at := replyMark().FindStringIndex(text); at != nil {
		return text[at[1]:]
	}
	return ""
}

// directiveFilter takes the directives out of an answer as it streams, whatever way it is cut
// into pieces. Only the start of a line that may still become a directive is held
// back. Within a code fence nothing is one.
type directiveFilter struct {
	out   func(text string)
	off   bool // directives are text like any other
	files []string

	line   strings.Builder // the beginning of the present line, not shown yet
	past   bool            // the present line has shown itself to be text
	begun  bool            // something of the answer was shown
	fenced bool
}

// write takes the next piece.
func (m *directiveFilter) write(text string) {
	for text != "" {
		if m.off || m.past {
			end := strings.IndexByte(text, '\n') + 1
			if end == 0 || m.off {
				end = len(text)
			}
			m.past = text[end-1] != '\n'
			m.show(text[:end])
			text = text[end:]
			continue
		}
		end := strings.IndexByte(text, '\n') + 1
		whole := end > 0
		if !whole {
			end = len(text)
		}
		m.line.WriteString(text[:end])
		text = text[end:]
		if line := m.line.String(); whole || !m.mayDirect(line) {
			m.line.Reset()
			m.pass(line)
		}
	}
}

// end takes what is left for a line.
func (m *directiveFilter) end() {
	line := m.line.String()
	m.line.Reset()
	m.pass(line)
}

// pass shows a line or its beginning, or does what it directs.
func (m *directiveFilter) pass(line string) {
	if line == "" {
		return
	}
	if !m.begun {
		line = strings.TrimLeft(line, blanks)
		for replyMark().MatchString(line) {
			line = afterReplyMark(line)
		}
		if line == "" {
			return
		}
	}
	if path, ok := attached(line); ok && !m.fenced {
		m.files = append(m.files, path)
		return
	}
	if strings.HasPrefix(strings.TrimLeft(line, blanks), "```") {
		m.fenced = !m.fenced
	}
	m.past = !strings.HasSuffix(line, "\n")
	m.show(line)
}

// show hands text on.
func (m *directiveFilter) show(text string) {
	if text != "" {
		m.begun = true
		m.out(text)
	}
}

// mayDirect reports whether the beginning of a line may still become a directive or
// the edge of a fence.
func (m *directiveFilter) mayDirect(line string) bool {
	head := strings.TrimLeft(line, blanks)
	if head == "" {
		return true
	}
	for _, mark := range []string{fileMark, "```"} {
		if strings.HasPrefix(mark, head) {
			return true
		}
	}
	if strings.HasPrefix(head, fileMark) {
		return !m.fenced
	}
	return !m.begun && strings.HasPrefix(head, "[[") && !strings.Contains(head, "]]")
}

// attached is the path of a line that attaches a file.
func attached(line string) (path string, ok bool) {
	line = strings.Trim(line, blanks)
	inner, ok := strings.CutPrefix(line, fileMark)
	if !ok {
		return "", false
	}
	path, ok = strings.CutSuffix(inner, "]]")
	path = strings.TrimSpace(path)
	return path, ok && path != "" && !strings.Contains(path, "]]")
}
