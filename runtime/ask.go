package runtime

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
)

// Ask is one message to an agent.
type Ask struct {
	// Session is the session's id, see session.Of; empty means "main".
	Session string `json:"session,omitempty"`
	// Text is what the person or the job says.
	Text string `json:"text"`
	// Run is the kind of turn; empty means chat.
	Run string `json:"run,omitempty"`
	// New starts the session anew before the turn.
	New bool `json:"new,omitempty"`
	// Attended is true when a person can answer a question during the turn.
	Attended bool `json:"attended,omitempty"`
}

// Check refuses what can't be a message. The zero Ask is refused.
func (a Ask) Check(maxBytes int) *event.Problem {
	switch {
	case strings.TrimSpace(a.Text) == "" && !a.wakes():
		return &event.Problem{
			Code: "empty_question", Message: "the question is empty",
			Hint: "say what you want to know, for example: agent ask \"what is in log.txt?\"",
		}
	case len(a.Text) > maxBytes:
		return &event.Problem{
			Code:    "question_too_long",
			Message: fmt.Sprintf("the question has %d bytes and turn.max_question allows %d", len(a.Text), maxBytes),
			Hint:    "put the text into a file of the workspace and ask about the file, or raise turn.max_question in config.toml",
		}
	case !utf8.ValidString(a.Text):
		return &event.Problem{
			Code:    "not_utf8",
			Message: fmt.Sprintf("the question is not UTF-8 text (first bad byte at %d)", firstBad(a.Text)),
			Hint:    "save the text as UTF-8 and ask again",
		}
	case strings.ContainsRune(a.Text, 0):
		return &event.Problem{
			Code: "not_text", Message: "the question holds a zero byte, so it is no text",
			Hint: "put binary data into a file of the workspace and ask about the file",
		}
	case !session.ValidID(a.Session):
		return &event.Problem{
			Code: "bad_session", Message: fmt.Sprintf("%q is no session name", a.Session),
			Hint: "use letters, digits, dot, dash, underscore and colon, at most 64 of them; AGENT/NAME is one of another agent",
		}
	}
	return nil
}

// wakes reports a turn that nobody's words begin, but what happened meanwhile.
func (a Ask) wakes() bool { return a.Run == string(assembly.Wake) && a.Text == "" }

// firstBad is the offset of the first byte of s that is no UTF-8.
func firstBad(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}
