package runtime

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/message"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
	"hardshell/tools/text"
)

const (
	// shortenTo is the same for shortening results within a turn; only the newest
	// result is let up to the whole.
	shortenTo = 0.7
	// shortResult is what a shortened tool result keeps, in bytes of its head.
	shortResult = 400
)

// transcript is the session of one turn as it is sent to the model.
type transcript struct {
	s         *session.Session
	c         prompt.Chosen
	form      prompt.Form
	prefix    session.Prefix
	start     int // place of the message that opened this turn, in s.Messages
	who       hooks.About
	compactor compactor
	out       *events
}

// reserve is how many tokens of the window are kept for the reply.
func (v *transcript) reserve() int { return v.c.Reserve(v.compactor.predict()) }

// fit makes the next request fit the window, before it is sent. A new result that takes
// most of the window is shortened to what is free; then old turns go, whole; then results of this turn are shortened, oldest first, with call
// and result still paired; what then does not fit is refused with a table. Each
// step is told to the person and stands in the history for the model.
func (v *transcript) fit(ctx context.Context) error {
	usable := v.compactor.usable(v.c)
	fixed := fixedSize(v.c, v.prefix)
	if v.compactor.ledger.Tokens(fixed+v.history()) <= usable {
		return nil
	}
	if v.compactor.ledger.Tokens(fixed) < usable {
		if err := v.trim(fixed, usable); err != nil {
			return err
		}
		if v.compactor.ledger.Tokens(fixed+v.history()) <= usable {
			return nil
		}
		if err := v.compact(ctx, fixed, usable); err != nil {
			return err
		}
		fixed = fixedSize(v.c, v.prefix)
		if err := v.trim(fixed, usable); err != nil {
			return err
		}
		if err := v.shorten(fixed, usable); err != nil {
			return err
		}
		if v.compactor.ledger.Tokens(fixed+v.history()) <= usable {
			return nil
		}
	}
	return tooLong(v.c.NumCtx, v.reserve(), v.table())
}

// history is the conversation in bytes.
func (v *transcript) history() int {
	return bytesOf(v.c, v.s.Messages())
}

// compact makes room in the conversation of a turn that runs.
func (v *transcript) compact(ctx context.Context, fixed, usable int) error {
	before := len(v.s.Messages())
	prefix, notices, err := v.compactor.leaveOut(ctx, v.s, v.c, v.form, v.who, v.start, fixed, usable)
	if err != nil || prefix == nil {
		return err
	}
	v.start += len(v.s.Messages()) - before
	v.prefix = *prefix
	for _, n := range notices {
		v.out.warn(n)
	}
	return nil
}

// shorten replaces results of this turn by their head, oldest first, until the
// request fits; the newest result stays whole as long as possible.
func (v *transcript) shorten(fixed, usable int) error {
	msgs := v.s.Messages()
	total, texts := fixed+bytesOf(v.c, msgs), map[int]string{}
	if v.compactor.ledger.Tokens(total) <= usable {
		return nil
	}
	var notices []event.Notice
	for i, m := range msgs {
		target := int(shortenTo * float64(usable))
		if i == len(msgs)-1 {
			target = usable
		}
		if v.compactor.ledger.Tokens(total) <= target {
			break
		}
		if m.Role != message.Tool || len(m.Text) <= 2*shortResult {
			continue
		}
		short := fmt.Sprintf("%s\n[shortened by the runtime: %d of %d bytes kept, since model.num_ctx = %d was full; call %s again for the rest]",
			text.Head(m.Text, shortResult), shortResult, len(m.Text), v.c.NumCtx, m.ToolName)
		texts[i] = short
		total -= len(m.Text) - len(short)
		notices = append(notices, event.Notice{
			Code:    "result_shortened",
			Message: fmt.Sprintf("an earlier result of %s was shortened from %d to %d bytes: model.num_ctx = %d was full", m.ToolName, len(m.Text), len(short), v.c.NumCtx),
		})
	}
	if err := v.s.Shorten(texts); err != nil {
		return err
	}
	for _, n := range notices {
		v.out.warn(n)
	}
	return nil
}

// table lists what takes up the window, largest parts of the prompt first as
// they stand in it.
func (v *transcript) table() []row {
	var rows []row
	files := 0
	for _, p := range v.prefix.Report.Parts {
		if p.Source != "" {
			rows = append(rows, row{p.Source, p.Used, v.compactor.ledger.Tokens(p.Used)})
			files += p.Used
		}
	}
	own := len(v.prefix.System) - files
	tools, hist := fixedSize(v.c, v.prefix)-len(v.prefix.System), v.history()
	return append(rows,
		row{"the agent's own text", own, v.compactor.ledger.Tokens(own)},
		row{"tools", tools, v.compactor.ledger.Tokens(tools)},
		row{"conversation", hist, v.compactor.ledger.Tokens(hist)},
		row{"kept for the reply", 0, v.reserve()},
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
func (v *transcript) trim(fixed, usable int) error {
	msgs := slices.Clone(v.s.Messages())
	at := largestNew(msgs)
	if at < 0 || v.compactor.ledger.Tokens(fixed+bytesOf(v.c, msgs)) <= usable || 2*v.compactor.ledger.Tokens(len(msgs[at].Text)) <= usable-v.compactor.ledger.Tokens(fixed) {
		return nil
	}
	whole, name := msgs[at].Text, msgs[at].ToolName
	head := func(n int) string {
		kept := text.Head(whole, n)
		return fmt.Sprintf("%s\n[shortened by the runtime: %d of %d bytes kept, as many as model.num_ctx = %d has room for; ask %s for the rest in parts]",
			kept, len(kept), len(whole), v.c.NumCtx, name)
	}
	n := sort.Search(len(whole), func(n int) bool {
		msgs[at].Text = head(n + 1)
		return float64(v.compactor.ledger.Tokens(fixed+bytesOf(v.c, msgs))) > trimTo*float64(usable)
	})
	if n < leastTrim {
		return nil
	}
	short := head(n)
	if err := v.s.Shorten(map[int]string{at: short}); err != nil {
		return err
	}
	v.out.warn(event.Notice{
		Code:    "result_shortened",
		Message: fmt.Sprintf("the result of %s was shortened from %d to %d bytes: model.num_ctx = %d has no room for more", name, len(whole), len(short), v.c.NumCtx),
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
