package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// batch is how many entries are read from the store at once.
const batch = 256

// state is what the entries since the last boundary amount to.
type state struct {
	prefix *Prefix
	// messages are in the order in which they were stored, sent in the order in
	// which they are sent.
	messages, sent []message.Message
	misplaced      []string // what arrange had to mend
	delivered      map[string]string
	kept           map[string]string // what Keep was given, by key
	turns          int               // highest turn number seen
	lastTurn       string            // newest turn with a record
	open           string            // newest turn seen that has no record yet
}

// carried is what a boundary takes over.
type carried struct {
	Turns    int           `json:"turns"`
	LastTurn string        `json:"last_turn,omitempty"`
	Messages []wireMessage `json:"messages,omitempty"`
	// Kept is what outlives the boundary of what Keep was given.
	Kept map[string]string `json:"kept,omitempty"`
}

// clone gives a state that apply may change without touching this one.
func (st state) clone() state {
	st.messages = slices.Clip(st.messages)
	st.delivered, st.kept = maps.Clone(st.delivered), maps.Clone(st.kept)
	return st
}

// apply folds one entry in and says what is wrong with it; an entry that can't
// be used changes nothing.
func (st *state) apply(e store.Entry) string {
	var problem error
	switch e.Kind {
	case store.KindMessage:
		var w wireMessage
		if problem = json.Unmarshal(e.Data, &w); problem == nil {
			st.messages = append(st.messages, w.message())
		}
	case store.KindPrefix:
		var w wirePrefix
		if problem = json.Unmarshal(e.Data, &w); problem == nil {
			p := w.prefix()
			st.prefix = &p
		}
	case store.KindDelivered:
		var f fact
		if problem = json.Unmarshal(e.Data, &f); problem == nil {
			if st.delivered == nil {
				st.delivered = map[string]string{}
			}
			st.delivered[f.Key] = f.Value
		}
	case store.KindKept:
		var f fact
		if problem = json.Unmarshal(e.Data, &f); problem == nil {
			st.keep(f)
		}
	case store.KindTurn:
		var r TurnRecord
		if problem = json.Unmarshal(e.Data, &r); problem == nil {
			st.lastTurn = r.ID
		}
	case store.KindReset, store.KindCompact:
		var c carried
		if problem = json.Unmarshal(e.Data, &c); problem == nil {
			*st = state{turns: max(st.turns, c.Turns), lastTurn: c.LastTurn, kept: c.Kept}
			for _, w := range c.Messages {
				st.messages = append(st.messages, w.message())
			}
		}
	default:
		problem = fmt.Errorf("kind %q is not known", e.Kind)
	}
	if problem != nil {
		return problem.Error()
	}
	st.seenTurn(e)
	return ""
}

// keep takes in what Keep was given; an empty value takes the key out.
func (st *state) keep(f fact) {
	if st.kept == nil {
		st.kept = map[string]string{}
	}
	st.kept[f.Key] = f.Value
	if f.Value == "" {
		delete(st.kept, f.Key)
	}
}

// seenTurn keeps the turn counter above every id that was used.
func (st *state) seenTurn(e store.Entry) {
	if n, ok := turnNumber(e.Turn); ok {
		st.turns = max(st.turns, n)
		st.open = e.Turn
	}
	if e.Kind == store.KindTurn && st.open == st.lastTurn {
		st.open = ""
	}
}

// arrange puts messages in the order in which they are sent.
func (st *state) arrange() { st.sent, st.misplaced = arrange(st.messages) }

// load replays the entries since the last boundary.
func (s *Session) load() error {
	info, ok, err := s.store.Session(s.id)
	if err != nil || !ok {
		return err
	}
	from, err := s.start(info.Boundary)
	if err != nil {
		return err
	}
	next := max(from, 1)
	err = s.each(from, func(e store.Entry) bool {
		s.gap(next, e.Seq)
		next = e.Seq + 1
		if problem := s.st.apply(e); problem != "" {
			s.repair("entry %d can't be used (%s) and is left out", e.Seq, problem)
		}
		return true
	})
	if err != nil {
		return err
	}
	s.gap(next, info.Last+1)
	s.last = info.Last
	s.missing = interrupted(s.st.messages)
	s.st.messages = append(s.st.messages, s.missing...)
	for _, m := range s.missing {
		s.repair("call %s (%s) had no result: it is sent as interrupted, outcome unknown", m.CallID, m.ToolName)
	}
	if s.st.open != "" {
		s.repair("turn %s was interrupted", s.st.open)
	}
	s.st.arrange()
	return nil
}

// start gives where replay begins: at the last boundary, or at the very
// beginning when that can't be read. An older boundary then takes its place.
func (s *Session) start(boundary uint64) (uint64, error) {
	if boundary == 0 {
		return 0, nil
	}
	first, err := s.store.EntriesFrom(s.id, boundary, 1)
	if err != nil {
		return 0, err
	}
	if len(first) == 1 && first[0].Seq == boundary {
		return boundary, nil
	}
	s.repair("the session boundary at entry %d could not be read: what was said before it is part of the conversation again", boundary)
	return 0, nil
}

// gap reports entries that are not there: they could not be read and the store
// keeps them aside.
func (s *Session) gap(next, seq uint64) {
	for ; next < seq && len(s.repairs) < maxRepairs; next++ {
		s.repair("entry %d could not be read and is left out", next)
	}
}

// maxRepairs bounds what a session tells of its repairs.
const maxRepairs = 50

func (s *Session) repair(format string, args ...any) {
	s.repairs = append(s.repairs, fmt.Sprintf(format, args...))
}

// each calls fn with the entries from number from on, a batch at a time, until
// fn says false.
func (s *Session) each(from uint64, fn func(store.Entry) bool) error {
	for {
		entries, err := s.store.EntriesFrom(s.id, from, batch)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !fn(e) {
				return nil
			}
			from = e.Seq + 1
		}
		if len(entries) < batch {
			return nil
		}
	}
}
