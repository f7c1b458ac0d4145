package session

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/message"
	"hardshell/runtime/store"
)

// EntryStore keeps a session's entries. *store.Sessions is one.
type EntryStore interface {
	// AppendAt adds entries, all or none, unless somebody else wrote after entry
	// last; it gives the number of the last one stored.
	AppendAt(session string, last uint64, entries ...store.Entry) (uint64, error)
	// EntriesFrom gives entries with numbers of at least from, at most limit of
	// them (0: all).
	EntriesFrom(session string, from uint64, limit int) ([]store.Entry, error)
	// Session tells where a session stands; ok is false for a new one.
	Session(id string) (info store.SessionInfo, ok bool, err error)
}

// Prefix is the part of every request that stays the same, byte for byte, until
// the next session boundary.
type Prefix struct {
	System string          `json:"system"`
	Offers []message.Offer `json:"offers"`
	// Files are the workspace files in System, as they were then.
	Files   []FrozenFile `json:"files"`
	Model   string       `json:"model"`
	NumCtx  int          `json:"num_ctx"`
	Created time.Time    `json:"created"`
	// Dir and Board are the workspace folder and the board that System speaks of.
	Dir   string `json:"workspace,omitempty"`
	Board string `json:"board,omitempty"`
	// Think is the level of thinking that System names.
	Think string `json:"think,omitempty"`
	// Report lists the parts of System.
	Report assembly.Report `json:"report"`
}

// FrozenFile is a workspace file as it was when the prefix was made.
type FrozenFile struct {
	Name string `json:"name"`
	Hash string `json:"sha256"`
}

// Session is one open conversation. Its methods may be called from any
// goroutine; one process opens a session once and keeps it.
type Session struct {
	id    string
	store EntryStore

	mu   sync.Mutex
	last uint64 // number of the newest entry this session knows
	st   state
	// missing are results to be stored with the next append: calls that a dead
	// process left open.
	missing []message.Message
	// telling are facts to be stored as told with the next append.
	telling []fact
	repairs []string
	issued  int // turn ids given out by this process
}

// fact is something that changes between turns and is told once for each value.
type fact struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Open reads a session, or begins a new one. It writes nothing: a missing result
// is stored with the first append.
func Open(st EntryStore, id string) (*Session, error) {
	if id == "" {
		return nil, errors.New("a session without a name: name one, main for example")
	}
	s := &Session{id: id, store: st}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// ID is the session's name.
func (s *Session) ID() string { return s.id }

// Messages is the conversation as it is to be sent, without the system message.
// Callers keep their hands off what is in it.
func (s *Session) Messages() []message.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.st.sent)
}

// Frozen gives the prefix of this session; ok is false before the first Freeze
// and after a boundary.
func (s *Session) Frozen() (p Prefix, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st.prefix == nil {
		return Prefix{}, false
	}
	return *s.st.prefix, true
}

// Repairs tells what was wrong with the transcript and how it is read now.
func (s *Session) Repairs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(slices.Clone(s.repairs), s.st.misplaced...)
}

// Freeze keeps the prefix. Freezing another one before a boundary (the model was
// changed) is a break that the caller tells the person.
func (s *Session) Freeze(p Prefix) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit(entry(store.KindPrefix, "", toWirePrefix(p)))
}

// Append stores messages of a turn, all or none, and with them what Delivered was
// asked since the last append. When it returns nil they are on the disk.
func (s *Session) Append(turn string, msgs ...message.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []draft
	for _, f := range s.telling {
		entries = append(entries, entry(store.KindDelivered, turn, f))
	}
	s.telling = nil
	for _, m := range msgs {
		entries = append(entries, entry(store.KindMessage, turn, toWire(m)))
	}
	return s.commit(entries...)
}

// Delivered reports whether the model was told already that the fact key has this
// value. When it was not, the fact counts as told from the next successful
// Append on, so that a message that could not be stored takes it along.
func (s *Session) Delivered(key, value string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if told, ok := s.st.delivered[key]; ok && told == value {
		return true, nil
	}
	fact := fact{Key: key, Value: value}
	if !slices.Contains(s.telling, fact) {
		s.telling = append(s.telling, fact)
	}
	return false, nil
}

// Reset starts the conversation anew: no messages, no prefix, nothing told. What
// was said before stays on record.
func (s *Session) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bound(store.KindReset, carried{Turns: s.st.turns, LastTurn: s.st.lastTurn, Kept: s.st.settings()})
}

// Compact replaces the messages before Messages()[keepFrom] by a summary. A call
// and its results stay together: when keepFrom falls between them, the call is
// kept too. Prefix and told facts end with it, as with Reset.
func (s *Session) Compact(keepFrom int, summary message.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if keepFrom < 0 || keepFrom > len(s.st.sent) {
		return fmt.Errorf("keep from message %d of %d: choose one of them", keepFrom, len(s.st.sent))
	}
	keepFrom = wholePairs(s.st.sent, keepFrom)
	kept := append([]message.Message{summary}, s.st.sent[keepFrom:]...)
	return s.bound(store.KindCompact, carried{Turns: s.st.turns, LastTurn: s.st.lastTurn, Messages: toWires(kept), Kept: s.st.kept})
}

// bound stores a boundary. Results that were missing are part of what it keeps,
// or of what it leaves behind.
func (s *Session) bound(kind string, c carried) error {
	if err := s.keep(nil, entry(kind, "", c)); err != nil {
		return err
	}
	s.telling = nil
	return nil
}

// draft is an entry before its data is made.
type draft struct {
	kind, turn string
	v          any
}

func entry(kind, turn string, v any) draft { return draft{kind: kind, turn: turn, v: v} }

// commit stores entries, behind the results that are still missing.
func (s *Session) commit(drafts ...draft) error {
	if len(drafts) == 0 {
		return nil
	}
	return s.keep(s.missing, drafts...)
}

// keep stores the missing results and the drafts, all or none, and then applies
// the drafts as replay would: from their stored form. (Missing results are part
// of the state since the replay.) A conflict leaves the session as it was; open
// it again.
func (s *Session) keep(missing []message.Message, drafts ...draft) error {
	all := make([]draft, 0, len(missing)+len(drafts))
	for _, m := range missing {
		all = append(all, entry(store.KindMessage, "", toWire(m)))
	}
	all = append(all, drafts...)
	entries := make([]store.Entry, len(all))
	next := s.st.clone()
	for i, d := range all {
		data, err := encode(d.v)
		if err != nil {
			return fmt.Errorf("session %s: %w; store plain data", s.id, err)
		}
		entries[i] = store.Entry{Kind: d.kind, Turn: d.turn, Data: data}
		if i < len(missing) {
			continue
		}
		if problem := next.apply(entries[i]); problem != "" {
			return fmt.Errorf("session %s: a %s entry would not be read back (%s); this is a fault of the program, please report it", s.id, d.kind, problem)
		}
	}
	last, err := s.store.AppendAt(s.id, s.last, entries...)
	if err != nil {
		return err
	}
	next.arrange()
	s.last, s.st, s.missing = last, next, nil
	return nil
}
