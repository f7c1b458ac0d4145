package hooks

import (
	"context"
	"strings"

	"hardshell/assembly"
	"hardshell/tools/text"
)

// maxMessage is how much of a message a hook is told, in bytes; all of it would be
// too much for a command where somebody pastes a log.
const maxMessage = 16 << 10

// turnInput is what a hook of Turn reads.
type turnInput struct {
	about
	// Message is the message, or its head: Bytes is the size of the whole.
	Message string `json:"message"`
	Bytes   int    `json:"message_bytes"`
}

// turnReply is what it may write.
type turnReply struct {
	Append string `json:"append"`
}

// Append asks the hooks of Turn and gives what each adds to the turn context, as
// data under its name. A hook that adds nothing has no entry.
func Append(ctx context.Context, all []Hook, a About, message string) ([]assembly.Snippet, error) {
	var out []assembly.Snippet
	for _, h := range of(all, Turn) {
		var reply turnReply
		if err := h.ask(ctx, a, turnInput{about: a.wire(Turn), Message: text.Head(message, maxMessage), Bytes: len(message)}, &reply); err != nil {
			return nil, err
		}
		if err := plain("what it appends", reply.Append); err != nil {
			return nil, h.failed(err.Error())
		}
		if strings.TrimSpace(reply.Append) != "" {
			out = append(out, assembly.Snippet{Source: "hook " + h.Name, Text: reply.Append})
		}
	}
	return out, nil
}
