package runtime

import (
	"errors"
	"slices"
	"strings"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/reply"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

// journal stores the messages of one turn.
type journal struct {
	s     *session.Session // nil until the turn has opened it
	out   *events
	loose []message.Message // what a full disk could not take
	torn  bool              // a message could not be stored for another reason
}

// keep stores messages of the turn. On a full disk the turn goes on in memory, so
// that a person still gets an answer; they are told once, nothing half is stored,
// and no tool acts, since no act could be put on record. Any other failure ends
// the turn.
func (j *journal) keep(msgs ...message.Message) error {
	if len(j.loose) > 0 {
		j.loose = append(j.loose, msgs...)
		return nil
	}
	err := j.s.Append(j.out.turn, msgs...)
	if !full(err) {
		j.torn = j.torn || err != nil
		return err
	}
	j.loose = append(j.loose, msgs...)
	p := event.ProblemOf(err)
	j.out.warn(event.Notice{
		Code: "disk_full", Message: p.Message + "; this turn is answered and not kept, and no tool runs", Hint: p.Hint,
	})
	return nil
}

// full reports whether an error says that the disk is full.
func full(err error) bool {
	return errors.Is(err, store.Full)
}

// keepPartial stores what a broken stream gave, marked as cut, so that neither
// the person nor the next turn loses it.
func (j *journal) keepPartial(rep model.Reply, shown *reply.Filter) error {
	m := rep.Message
	m.Calls = nil // a half-received call is no call
	if strings.TrimSpace(m.Text) == "" {
		return nil
	}
	shown.Break()
	if m.Cut == "" {
		m.Cut = "interrupted"
	}
	m.Role = message.Assistant
	return j.keep(m)
}

// skip stores a result for calls that were not run, so that pairs stay whole.
func (j *journal) skip(calls []message.Call, text string) error {
	for _, c := range calls {
		if err := j.keep(message.Message{Role: message.Tool, Text: text, CallID: c.ID, ToolName: c.Name}); err != nil {
			return err
		}
	}
	return nil
}

// messages is the whole conversation as it is sent, behind a system text.
func (j *journal) messages(system string) []message.Message {
	return slices.Concat([]message.Message{{Role: message.System, Text: system}}, j.s.Messages(), j.loose)
}
