package runtime

import (
	"context"
	"fmt"
	"slices"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

const (
	// compactTo is the share of the usable window that a compaction leaves
	// filled, so that the one planned break of the prefix pays for many turns.
	compactTo = 0.5
	// tidyAt is how full the usable window may be before a compaction is done while
	// nobody talks, so that no turn has to.
	tidyAt = 0.8
)

// leftOut begins the message that stands for the turns which were left out, with their
// number since the conversation began.
const leftOut = "[runtime] %d earlier turns of this conversation were left out here"

// compactor leaves the oldest turns out of conversations that fill their window.
type compactor struct {
	ledger  *model.Ledger
	prompts *prompt.Maker
	predict func() int // the configured limit of one reply, in tokens
}

// usable is the part of a model's window that a prompt may fill, in tokens.
func (k compactor) usable(c prompt.Chosen) int {
	return k.ledger.Window(c.NumCtx) - c.Reserve(k.predict())
}

// tidy compacts a conversation that has nearly filled its window. Its next turn
// tells of it.
func (k compactor) tidy(ctx context.Context, s *session.Session, c prompt.Chosen) error {
	p, frozen := s.Frozen()
	msgs := s.Messages()
	usable, fixed := k.usable(c), fixedSize(c, p)
	last := lastOf(msgs, message.User)
	if !frozen || last < 0 || float64(k.ledger.Tokens(fixed+bytesOf(c, msgs))) <= tidyAt*float64(usable) {
		return nil
	}
	prefix, notices, err := k.leaveOut(ctx, s, c, prompt.Whole(), k.prompts.About(s.ID(), string(assembly.Chat)), last, fixed, usable)
	if err != nil || prefix == nil {
		return err
	}
	return prompt.Postpone(s, notices)
}

// lastOf is the place of the newest message of a role, -1 when there is none.
func lastOf(msgs []message.Message, role message.Role) int {
	for i, m := range slices.Backward(msgs) {
		if m.Role == role {
			return i
		}
	}
	return -1
}

// leaveOut leaves out the oldest whole turns, never the one that start opens, until
// half of the usable window is free. The prefix, made anew, is nil when there was
// nothing to leave out.
func (k compactor) leaveOut(ctx context.Context, s *session.Session, c prompt.Chosen, f prompt.Form, who hooks.About, start, fixed, usable int) (*session.Prefix, []event.Notice, error) {
	msgs := s.Messages()
	starts := boundaries(msgs, start)
	if len(starts) < 2 {
		return nil, nil, nil
	}
	keep := starts[len(starts)-1]
	tail := bytesOf(c, msgs[keep:])
	for i := len(starts) - 2; i > 0; i-- {
		tail += bytesOf(c, msgs[starts[i]:keep])
		if float64(k.ledger.Tokens(fixed+tail)) > compactTo*float64(usable) {
			break
		}
		keep = starts[i]
	}
	dropped := 0
	for _, at := range starts {
		if at < keep {
			dropped++
		}
	}
	before := 0
	if n, _ := fmt.Sscanf(msgs[0].Text, leftOut, &before); n == 1 {
		dropped += before - 1 // that message stands for turns and is none
	}
	// The prefix breaks here anyway, so changed workspace files enter. It is made
	// first: what keeps it from being made leaves the conversation as it is.
	prefix, notices, err := k.prompts.Fresh(ctx, c, f, who)
	if err != nil {
		return nil, nil, err
	}
	note := fmt.Sprintf(leftOut+" because the window of %d tokens was full. They stand in the record; ask the person, or read the files again, for what you miss.", dropped, c.NumCtx)
	if err := s.Compact(keep, message.Message{Role: message.User, Text: note}); err != nil {
		return nil, nil, err
	}
	if err := s.Freeze(prefix); err != nil {
		return nil, nil, err
	}
	return &prefix, append(notices, event.Notice{
		Code:    "compacted",
		Message: fmt.Sprintf("%d earlier turns were left out of the prompt: model.num_ctx = %d was full; they stay on record", dropped, c.NumCtx),
		Hint:    "start a fresh session with /new when the subject changes",
	}), nil
}

// boundaries are the places where the history may be cut: messages of a person
// up to the one that opened the running turn.
func boundaries(msgs []message.Message, start int) []int {
	var out []int
	for i, m := range msgs[:start+1] {
		if m.Role == message.User {
			out = append(out, i)
		}
	}
	return out
}

// fixedSize is what stands before the conversation, in bytes as it is sent.
func fixedSize(c prompt.Chosen, p session.Prefix) int {
	q, format, err := model.Wrap(model.Request{
		Messages: []message.Message{{Role: message.System, Text: p.System}}, Tools: p.Offers, Enveloped: c.Info.Enveloped(),
	})
	if err != nil || format == nil { // the request will tell of an error
		return len(p.System) + offersSize(p.Offers)
	}
	return len(q.Messages[0].Text)
}

// bytesOf is what messages bring to the prompt, in bytes as they are sent.
func bytesOf(c prompt.Chosen, msgs []message.Message) int {
	if plain, err := model.Plain(msgs); err == nil && c.Info.Enveloped() {
		msgs = plain
	}
	n := 0
	for _, m := range msgs {
		n += size(m)
	}
	return n
}
