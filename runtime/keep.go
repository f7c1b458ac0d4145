package runtime

import (
	"errors"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// keep stores messages of the turn. On a full disk the turn goes on in memory, so
// that a person still gets an answer; they are told once, nothing half is stored,
// and no tool acts, since no act could be put on record. Any other failure ends
// the turn.
func (t *turn) keep(msgs ...message.Message) error {
	if len(t.loose) > 0 {
		t.loose = append(t.loose, msgs...)
		return nil
	}
	err := t.s.Append(t.id, msgs...)
	if !full(err) {
		t.torn = t.torn || err != nil
		return err
	}
	t.loose = append(t.loose, msgs...)
	p := Problem(err)
	t.warn(event.Notice{
		Code: "disk_full", Message: p.Message + "; this turn is answered and not kept, and no tool runs", Hint: p.Hint,
	})
	return nil
}

// full reports whether an error says that the disk is full.
func full(err error) bool {
	return errors.Is(err, store.Full)
}
