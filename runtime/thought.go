package runtime

import (
	"strings"

	"hardshell/runtime/event"
)

// thought shows of a reply's thinking what the conversation is set to: nothing but
// that it goes on, all of it as one block, or each piece as it comes.
type thought struct {
	show  string
	out   func(event.Chunk)
	kept  strings.Builder
	begun bool
}

// phaseThinking is what a Chunk's Phase says when the model thinks and a person
// does not see it yet.
const phaseThinking = "thinking"

// write takes the next piece of thinking.
func (h *thought) write(text string) {
	if text == "" {
		return
	}
	if h.show == showStream {
		h.out(event.Chunk{Thinking: text})
		return
	}
	if !h.begun {
		h.begun = true
		h.out(event.Chunk{Phase: phaseThinking})
	}
	if h.show == showOn {
		h.kept.WriteString(text)
	}
}

// end shows what was kept: the answer begins, or the reply is over.
func (h *thought) end() {
	if h.kept.Len() > 0 {
		h.out(event.Chunk{Thinking: h.kept.String()})
		h.kept.Reset()
	}
}
