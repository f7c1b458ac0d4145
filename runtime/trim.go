package runtime

import (
	"fmt"
	"slices"
	"sort"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/tools/text"
)

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
