package prompt

import (
	"encoding/json"
	"fmt"

	"hardshell/runtime/event"
	"hardshell/runtime/session"
)

// keyLater is the key under which a session keeps what its next turn has to tell.
const keyLater = "later"

// Postpone keeps what happened to a session between its turns, for its next turn to
// tell, whichever process that runs in.
func Postpone(s *session.Session, more []event.Notice) error {
	if len(more) == 0 {
		return nil
	}
	b, err := json.Marshal(append(postponed(s), more...))
	if err != nil {
		return fmt.Errorf("encode what session %s has to tell: %w", s.ID(), err)
	}
	return s.Keep(keyLater, string(b))
}

// Due gives what was postponed, once.
func Due(s *session.Session) ([]event.Notice, error) { return postponed(s), s.Keep(keyLater, "") }

// postponed is what a session has to tell.
func postponed(s *session.Session) (out []event.Notice) {
	text := s.Kept(keyLater)
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return []event.Notice{{
			Code: "damaged", Message: "what happened to this session between its turns can't be read: " + err.Error(), Hint: "agent sessions turn shows what is on record",
		}}
	}
	return out
}
