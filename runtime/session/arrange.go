package session

import (
	"fmt"

	"hardshell/runtime/message"
)

// interruptedText is the result that a call gets when the process died before
// the call's own result was stored.
const interruptedText = "interrupted: the agent stopped before this call reported back, its outcome is unknown. Look at the state of things before doing it again."

// pairing ties each result to its call.
type pairing struct {
	// results holds, for the message index of an assistant message, the message
	// index of each call's result in the order of the calls; -1 where there is
	// none.
	results map[int][]int
	call    map[int]int // message index of a result → of its assistant message
}

// pair ties results to calls by id. A model may use an id twice; a result
// belongs to the newest open call before it, else to the next open one after it.
func pair(msgs []message.Message) pairing {
	p := pairing{results: map[int][]int{}, call: map[int]int{}}
	for i, m := range msgs {
		for range m.Calls {
			p.results[i] = append(p.results[i], -1)
		}
	}
	for i, m := range msgs {
		if m.Role != message.Tool {
			continue
		}
		for at := i - 1; at >= 0 && !p.take(msgs, at, i); at-- {
		}
		if _, ok := p.call[i]; ok {
			continue
		}
		for at := i + 1; at < len(msgs) && !p.take(msgs, at, i); at++ {
		}
	}
	return p
}

// take gives result i to an open call of message at, when one has its id.
func (p pairing) take(msgs []message.Message, at, i int) bool {
	for n, c := range msgs[at].Calls {
		if c.ID == msgs[i].CallID && p.results[at][n] < 0 {
			p.results[at][n] = i
			p.call[i] = at
			return true
		}
	}
	return false
}

// arrange gives messages in the order that a server accepts: each result right
// behind its call, a result without a call left out. A transcript that is in
// order comes back as it is.
func arrange(msgs []message.Message) ([]message.Message, []string) {
	p := pair(msgs)
	out := make([]message.Message, 0, len(msgs))
	var repairs []string
	placed := map[int]bool{}
	for i, m := range msgs {
		if m.Role == message.Tool {
			switch _, ok := p.call[i]; {
			case !ok:
				repairs = append(repairs, fmt.Sprintf("a result of call %s (%s) has no call and is left out", m.CallID, m.ToolName))
			case !placed[i]:
				// Its call comes later and takes it along.
				repairs = append(repairs, fmt.Sprintf("the result of call %s stood before its call and is sent behind it", m.CallID))
			}
			continue
		}
		out = append(out, m)
		for _, at := range behind(p.results[i]) {
			placed[at] = true
			out = append(out, msgs[at])
			if stray(msgs, i, at) {
				repairs = append(repairs, fmt.Sprintf("the result of call %s was stored in the wrong place and is sent behind its call", msgs[at].CallID))
			}
		}
	}
	return out, repairs
}

// behind gives the results of one assistant message in the order in which they
// were stored, so that one that arrives later never moves one already sent.
func behind(results []int) []int {
	var out []int
	for _, at := range results {
		if at < 0 {
			continue
		}
		i := len(out)
		for i > 0 && out[i-1] > at {
			i--
		}
		out = append(out[:i], append([]int{at}, out[i:]...)...)
	}
	return out
}

// stray reports whether something that is no result lies between a call and its
// result.
func stray(msgs []message.Message, call, result int) bool {
	for at := call + 1; at < result; at++ {
		if msgs[at].Role != message.Tool {
			return true
		}
	}
	return false
}

// interrupted gives a result for each call that has none.
func interrupted(msgs []message.Message) []message.Message {
	p := pair(msgs)
	var out []message.Message
	for i, m := range msgs {
		for n, c := range m.Calls {
			if p.results[i][n] < 0 {
				out = append(out, message.Message{Role: message.Tool, Text: interruptedText, CallID: c.ID, ToolName: c.Name})
			}
		}
	}
	return out
}

// wholePairs moves a cut back so that it parts no call from its results, neither
// from those that are there nor from those still to come.
func wholePairs(msgs []message.Message, from int) int {
	p := pair(msgs)
	for i := range from {
		for n := range msgs[i].Calls {
			if at := p.results[i][n]; at < 0 || at >= from {
				return i
			}
		}
	}
	return from
}
