package reply

import "strings"

// holdFilter keeps back streamed text that may turn out to be no answer: a call written
// as text, which a person never sees raw, or silence. Text that opens like prose
// passes at once; text that opens like a call, or like the beginning of silence
// where that is allowed, waits until it shows what it is, at the latest at the end
// of the message.
type holdFilter struct {
	out  func(text string)
	kept strings.Builder
	open bool // the message is prose
	// silence says that the whole reply may be silence; whole, that nothing of it is
	// shown before its end.
	silence, whole bool
}

// openings are the first characters of every text form that the codec can
// recover: JSON object and list, tag, fence.
const openings = "{[<`"

// write takes the next piece of the stream.
func (h *holdFilter) write(text string) {
	if h.open {
		h.out(text)
		return
	}
	h.kept.WriteString(text)
	head := strings.TrimLeft(h.kept.String(), blanks)
	if rest := afterReplyMark(head); rest != "" {
		head = rest // a mark for whom the answer is, then prose
	}
	if head == "" || h.whole || strings.ContainsRune(openings, rune(head[0])) || h.silence && mayBeSilence(head) {
		return
	}
	h.release()
}

// release lets everything kept out and the rest of the message with it.
func (h *holdFilter) release() {
	h.open = true
	if h.kept.Len() > 0 {
		h.out(h.kept.String())
		h.kept.Reset()
	}
}

// drop forgets what was kept: it was a call, or silence.
func (h *holdFilter) drop() { h.kept.Reset() }
