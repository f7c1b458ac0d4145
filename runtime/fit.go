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
	"hardshell/tools/text"
)

const (
	// compactTo is the share of the usable window that a compaction leaves
	// filled, so that the one planned break of the prefix pays for many turns.
	compactTo = 0.5
	// tidyAt is how full the usable window may be before a compaction is done while
	// nobody talks, so that no turn has to.
	tidyAt = 0.8
	// shortenTo is the same for shortening results within a turn; only the newest
	// result is let up to the whole.
	shortenTo = 0.7
	// shortResult is what a shortened tool result keeps, in bytes of its head.
	shortResult = 400
)

// leftOut begins the message that stands for the turns which were left out, with their
// number since the conversation began.
const leftOut = "[runtime] %d earlier turns of this conversation were left out here"

// fit makes the next request fit the window, before it is sent. A new result that takes
// most of the window is shortened to what is free; then old turns go, whole; then results of this turn are shortened, oldest first, with call
// and result still paired; what then does not fit is refused with a table. Each
// step is told to the person and stands in the history for the model.
func (t *turn) fit(ctx context.Context) error {
	usable := t.a.ledger.Window(t.c.NumCtx) - t.c.Reserve(t.a.now().Limits.NumPredict)
	fixed := fixedSize(t.c, t.prefix)
	if t.a.ledger.Tokens(fixed+t.history()) <= usable {
		return nil
	}
	if t.a.ledger.Tokens(fixed) < usable {
		if err := t.trim(fixed, usable); err != nil {
			return err
		}
		if t.a.ledger.Tokens(fixed+t.history()) <= usable {
			return nil
		}
		if err := t.compact(ctx, fixed, usable); err != nil {
			return err
		}
		fixed = fixedSize(t.c, t.prefix)
		if err := t.trim(fixed, usable); err != nil {
			return err
		}
		if err := t.shorten(fixed, usable); err != nil {
			return err
		}
		if t.a.ledger.Tokens(fixed+t.history()) <= usable {
			return nil
		}
	}
	return tooLong(t.c.NumCtx, t.c.Reserve(t.a.now().Limits.NumPredict), t.table())
}

// history is the conversation in bytes.
func (t *turn) history() int {
	return bytesOf(t.c, t.s.Messages())
}

// compact makes room in the conversation of a turn that runs.
func (t *turn) compact(ctx context.Context, fixed, usable int) error {
	before := len(t.s.Messages())
	prefix, notices, err := t.a.compact(ctx, t.s, t.c, t.form, t.about(), t.start, fixed, usable)
	if err != nil || prefix == nil {
		return err
	}
	t.start += len(t.s.Messages()) - before
	t.prefix = *prefix
	for _, n := range notices {
		t.warn(n)
	}
	return nil
}

// tidy compacts a conversation that has nearly filled its window. Its next turn
// tells of it.
func (a *Agent) tidy(ctx context.Context, s *session.Session, c prompt.Choice) error {
	p, frozen := s.Frozen()
	msgs := s.Messages()
	usable, fixed := a.ledger.Window(c.NumCtx)-c.Reserve(a.now().Limits.NumPredict), fixedSize(c, p)
	last := lastOf(msgs, message.User)
	if !frozen || last < 0 || float64(a.ledger.Tokens(fixed+bytesOf(c, msgs))) <= tidyAt*float64(usable) {
		return nil
	}
	prefix, notices, err := a.compact(ctx, s, c, prompt.Whole(), a.prompts.About(s.ID(), string(assembly.Chat)), last, fixed, usable)
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

// compact leaves out the oldest whole turns, never the one that start opens, until
// half of the usable window is free. The prefix, made anew, is nil when there was
// nothing to leave out.
func (a *Agent) compact(ctx context.Context, s *session.Session, c prompt.Choice, f prompt.Form, who hooks.About, start, fixed, usable int) (*session.Prefix, []event.Notice, error) {
	msgs := s.Messages()
	starts := boundaries(msgs, start)
	if len(starts) < 2 {
		return nil, nil, nil
	}
	keep := starts[len(starts)-1]
	tail := bytesOf(c, msgs[keep:])
	for i := len(starts) - 2; i > 0; i-- {
		tail += bytesOf(c, msgs[starts[i]:keep])
		if float64(a.ledger.Tokens(fixed+tail)) > compactTo*float64(usable) {
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
	prefix, notices, err := a.prompts.Fresh(ctx, c, f, who)
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
func fixedSize(c prompt.Choice, p session.Prefix) int {
	q, format, err := model.Wrap(model.Request{
		Messages: []message.Message{{Role: message.System, Text: p.System}}, Tools: p.Offers, Enveloped: c.Info.Enveloped(),
	})
	if err != nil || format == nil { // the request will tell of an error
		return len(p.System) + offersSize(p.Offers)
	}
	return len(q.Messages[0].Text)
}

// bytesOf is what messages bring to the prompt, in bytes as they are sent.
func bytesOf(c prompt.Choice, msgs []message.Message) int {
	if plain, err := model.Plain(msgs); err == nil && c.Info.Enveloped() {
		msgs = plain
	}
	n := 0
	for _, m := range msgs {
		n += size(m)
	}
	return n
}

// shorten replaces results of this turn by their head, oldest first, until the
// request fits; the newest result stays whole as long as possible.
func (t *turn) shorten(fixed, usable int) error {
	msgs := t.s.Messages()
	total, texts := fixed+bytesOf(t.c, msgs), map[int]string{}
	if t.a.ledger.Tokens(total) <= usable {
		return nil
	}
	var notices []event.Notice
	for i, m := range msgs {
		target := int(shortenTo * float64(usable))
		if i == len(msgs)-1 {
			target = usable
		}
		if t.a.ledger.Tokens(total) <= target {
			break
		}
		if m.Role != message.Tool || len(m.Text) <= 2*shortResult {
			continue
		}
		short := fmt.Sprintf("%s\n[shortened by the runtime: %d of %d bytes kept, since model.num_ctx = %d was full; call %s again for the rest]",
			text.Head(m.Text, shortResult), shortResult, len(m.Text), t.c.NumCtx, m.ToolName)
		texts[i] = short
		total -= len(m.Text) - len(short)
		notices = append(notices, event.Notice{
			Code:    "result_shortened",
			Message: fmt.Sprintf("an earlier result of %s was shortened from %d to %d bytes: model.num_ctx = %d was full", m.ToolName, len(m.Text), len(short), t.c.NumCtx),
		})
	}
	if err := t.s.Shorten(texts); err != nil {
		return err
	}
	for _, n := range notices {
		t.warn(n)
	}
	return nil
}

// table lists what takes up the window, largest parts of the prompt first as
// they stand in it.
func (t *turn) table() []row {
	var rows []row
	files := 0
	for _, p := range t.prefix.Report.Parts {
		if p.Source != "" {
			rows = append(rows, row{p.Source, p.Used, t.a.ledger.Tokens(p.Used)})
			files += p.Used
		}
	}
	own := len(t.prefix.System) - files
	tools, hist := fixedSize(t.c, t.prefix)-len(t.prefix.System), t.history()
	return append(rows,
		row{"the agent's own text", own, t.a.ledger.Tokens(own)},
		row{"tools", tools, t.a.ledger.Tokens(tools)},
		row{"conversation", hist, t.a.ledger.Tokens(hist)},
		row{"kept for the reply", 0, t.c.Reserve(t.a.now().Limits.NumPredict)},
	)
}
