package runtime

import "strings"

// holder keeps back streamed text that may turn out to be a call written as
// text, so that a person never sees raw JSON that is about to be run. Text that
// opens like prose passes at once; text that opens like a call waits for the
// end of the message.
type holder struct {
	out  func(text string)
	kept strings.Builder
	open bool // the message has shown itself to be prose
}

// openings are the first characters of every text form that the codec can
// recover: JSON object and list, tag, fence.
const openings = "{[<`"

// write takes the next piece of the stream.
func (h *holder) write(text string) {
	if h.open {
		h.out(text)
		return
	}
	h.kept.WriteString(text)
	head := strings.TrimLeft(h.kept.String(), " \t\r\n")
	if head == "" || strings.ContainsRune(openings, rune(head[0])) {
		return
	}
	h.release()
}

// release lets everything kept out and the rest of the message with it.
func (h *holder) release() {
	h.open = true
	if h.kept.Len() > 0 {
		h.out(h.kept.String())
		h.kept.Reset()
	}
}

// drop forgets what was kept: it was a call.
func (h *holder) drop() { h.kept.Reset() }
