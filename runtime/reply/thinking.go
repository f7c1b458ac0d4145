package reply

import (
	"strings"

	"hardshell/runtime/event"
)

// thinkingFilter shows of a reply's thinking what the conversation is set to: nothing but
// that it goes on, all of it as one block, or each piece as it comes.
type thinkingFilter struct {
	show  string
	out   func(event.Chunk)
	kept  strings.Builder
	begun bool
}

// What a person may see of the thinking: all of it as one block before the answer,
// or each piece as it comes.
const (
	ShowOn     = "on"
	ShowStream = "stream"
)

// phaseThinking is what a Chunk's Phase says when the model thinks and a person
// does not see it yet.
const phaseThinking = "thinking"

// write takes the next piece of thinking.
func (h *thinkingFilter) write(text string) {
	if text == "" {
		return
	}
	if h.show == ShowStream {
		h.out(event.Chunk{Thinking: text})
		return
	}
	if !h.begun {
		h.begun = true
		h.out(event.Chunk{Phase: phaseThinking})
	}
	if h.show == ShowOn {
		h.kept.WriteString(text)
	}
}

// end shows what was kept: the answer begins, or the reply is over.
func (h *thinkingFilter) end() {
	if h.kept.Len() > 0 {
		h.out(event.Chunk{Thinking: h.kept.String()})
		h.kept.Reset()
	}
}
