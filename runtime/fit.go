package runtime

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/tools/text"
)

const (
	// shortenTo is the same for shortening results within a turn; only the newest
	// result is let up to the whole.
	shortenTo = 0.7
	// shortResult is what a shortened tool result keeps, in bytes of its head.
	shortResult = 400
)

// fit makes the next request fit the window, before it is sent. A new result that takes
// most of the window is shortened to what is free; then old turns go, whole; then results of this turn are shortened, oldest first, with call
// and result still paired; what then does not fit is refused with a table. Each
// step is told to the person and stands in the history for the model.
func (t *turn) fit(ctx context.Context) error {
	usable := t.a.compact.usable(t.c)
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
	prefix, notices, err := t.a.compact.leaveOut(ctx, t.s, t.c, t.form, t.about(), t.start, fixed, usable)
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

const (
	// trimTo is how full a trimmed result leaves the usable window, since a token of it
	// may have fewer bytes than the estimate says.
	trimTo = 0.95
	// leastTrim is the smallest head that is worth more than making room, in bytes.
	leastTrim = 4 * shortResult
)

// trim shortens the largest of the newest results to what is free, where it takes more
// than half of the room that the conversation has: no earlier turn has to go for the
// end of a log. A head below leastTrim is not worth it.
func (t *turn) trim(fixed, usable int) error {
	msgs := slices.Clone(t.s.Messages())
	at := largestNew(msgs)
	if at < 0 || t.a.ledger.Tokens(fixed+bytesOf(t.c, msgs)) <= usable || 2*t.a.ledger.Tokens(len(msgs[at].Text)) <= usable-t.a.ledger.Tokens(fixed) {
		return nil
	}
	whole, name := msgs[at].Text, msgs[at].ToolName
	head := func(n int) string {
		kept := text.Head(whole, n)
		return fmt.Sprintf("%s\n[shortened by the runtime: %d of %d bytes kept, as many as model.num_ctx = %d has room for; ask %s for the rest in parts]",
			kept, len(kept), len(whole), t.c.NumCtx, name)
	}
	n := sort.Search(len(whole), func(n int) bool {
		msgs[at].Text = head(n + 1)
		return float64(t.a.ledger.Tokens(fixed+bytesOf(t.c, msgs))) > trimTo*float64(usable)
	})
	if n < leastTrim {
		return nil
	}
	short := head(n)
	if err := t.s.Shorten(map[int]string{at: short}); err != nil {
		return err
	}
	t.warn(event.Notice{
		Code:    "result_shortened",
		Message: fmt.Sprintf("the result of %s was shortened from %d to %d bytes: model.num_ctx = %d has no room for more", name, len(whole), len(short), t.c.NumCtx),
	})
	return nil
}

// largestNew is the place of the largest result behind the newest answer, -1 when there
// is none.
func largestNew(msgs []message.Message) int {
	at := -1
	for i, m := range slices.Backward(msgs) {
		if m.Role != message.Tool {
			break
		}
		if at < 0 || len(m.Text) > len(msgs[at].Text) {
			at = i
		}
	}
	return at
}
