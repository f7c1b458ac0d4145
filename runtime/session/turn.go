package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hardshell/runtime/event"
	"hardshell/runtime/store"
)

// TurnRecord is what is kept of a turn beside its messages.
type TurnRecord struct {
	ID      string       `json:"id"`
	Started time.Time    `json:"started"`
	Usage   event.Usage  `json:"usage"`
	Calls   []event.Tool `json:"calls"`
	Answer  string       `json:"answer"`
	Status  string       `json:"status"`
	// Report is whatever the loop wants to keep of how it went.
	Report json.RawMessage `json:"report,omitempty"`
}

// NextTurn gives the id of a turn that begins: t1, t2, … It is never given twice
// by one process, and never again once something of the turn is stored.
func (s *Session) NextTurn() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued = max(s.issued, s.st.turns) + 1
	return "t" + strconv.Itoa(s.issued)
}

// EndTurn stores how a turn went.
func (s *Session) EndTurn(r TurnRecord) error {
	if _, ok := turnNumber(r.ID); !ok {
		return fmt.Errorf("%q is no turn id: take one from NextTurn", r.ID)
	}
	if len(r.Report) > 0 && !json.Valid(r.Report) {
		return errors.New("the report of a turn is no JSON: encode it first")
	}
	r.Calls = slices.Clone(r.Calls)
	for i, c := range r.Calls {
		if len(c.Args) > 0 && !json.Valid(c.Args) { // as a model may have garbled them
			quoted, err := encode(string(c.Args))
			if err != nil {
				return fmt.Errorf("turn %s: %w; store plain data", r.ID, err)
			}
			r.Calls[i].Args = quoted
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit(entry(store.KindTurn, r.ID, r))
}

// LastTurn is the id of the newest turn that has a record, empty when there is
// none.
func (s *Session) LastTurn() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.lastTurn
}

// Torn is the id of a turn of which messages are stored and no record: the process that
// ran it ended in the middle. It is empty when there is none.
func (s *Session) Torn() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.open
}

// Turn reads the record of a turn from the store, of any time in the session's
// life.
func (s *Session) Turn(id string) (r TurnRecord, ok bool, err error) {
	err = s.each(0, func(e store.Entry) bool {
		var got TurnRecord
		if e.Kind != store.KindTurn || e.Turn != id || json.Unmarshal(e.Data, &got) != nil {
			return true
		}
		r, ok = got, true
		return true // a turn that was ended twice counts as it ended last
	})
	return r, ok, err
}

// turnNumber reads a turn id.
func turnNumber(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "t")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0 && id == "t"+strconv.Itoa(n)
}
