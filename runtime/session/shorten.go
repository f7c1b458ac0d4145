package session

import (
	"fmt"
	"maps"
	"slices"

	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// Shorten replaces the texts of tool results, by their place in Messages: what a
// turn does that outgrows the window. Calls keep their results and the prefix
// stays; the whole texts stay on record. Anything but a tool result is refused,
// since what a person or the model said is never rewritten.
func (s *Session) Shorten(texts map[int]string) error {
	if len(texts) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := slices.Clone(s.st.sent)
	for i, text := range texts {
		if i < 0 || i >= len(kept) || kept[i].Role != message.Tool {
			return fmt.Errorf("message %d of %d is no tool result: only results can be shortened", i, len(kept))
		}
		kept[i].Text = text
	}
	drafts := []draft{entry(store.KindCompact, s.st.open, carried{Turns: s.st.turns, LastTurn: s.st.lastTurn, Messages: toWires(kept), Kept: s.st.kept})}
	if s.st.prefix != nil {
		drafts = append(drafts, entry(store.KindPrefix, s.st.open, toWirePrefix(*s.st.prefix)))
	}
	for _, key := range slices.Sorted(maps.Keys(s.st.delivered)) {
		drafts = append(drafts, entry(store.KindDelivered, s.st.open, fact{Key: key, Value: s.st.delivered[key]}))
	}
	return s.keep(nil, drafts...)
}
