package runtime

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"hardshell/runtime/event"
	"hardshell/runtime/session"
)

// openSessions is how many sessions stay in memory while no turn runs in them. An
// agent that runs for months sees thousands of them; each is read anew when it is
// needed again.
const openSessions = 16

// sessions are those of one agent and no other's. It keeps in memory the ones that
// are used.
type sessions struct {
	agent string // its id
	store session.EntryStore
	runs  func(id string) bool // whether a turn runs in one; it must not come back here

	mu     sync.Mutex
	open   map[string]*opened
	recent []string // their ids, the one used last at the end
}

// opened is a session in memory, with what is remembered of it as long as it is there.
type opened struct {
	*session.Session
	spoke  time.Time // when its last turn began, or what is stored of it was stored; zero when never
	warned bool      // the person was told that the server reuses little
}

// own is the id of one of this agent's sessions; empty stands for its main one.
func (ss *sessions) own(id string) string {
	if id == "" {
		return session.Of(ss.agent, "")
	}
	return id
}

// foreign refuses a session of another agent, nil where it is this one's.
func (ss *sessions) foreign(id string) *event.Problem {
	if agent, _ := session.Owner(id); agent == ss.agent {
		return nil
	}
	return &event.Problem{
		Code: "bad_session", Message: fmt.Sprintf("session %q is none of agent %q", id, ss.agent),
		Hint: "a session of another agent is AGENT/NAME, as agent sessions list prints it",
	}
}

// get opens a session and keeps it while it is used.
func (ss *sessions) get(id string) (*session.Session, error) {
	if p := ss.foreign(id); p != nil {
		return nil, p
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.open[id]
	if s == nil {
		info, _, err := ss.store.Session(id)
		if err != nil {
			return nil, err
		}
		s = &opened{spoke: info.Updated}
		if s.Session, err = session.Open(ss.store, id); err != nil {
			return nil, err
		}
		ss.open[id] = s
	}
	ss.recent = append(slices.DeleteFunc(ss.recent, func(other string) bool { return other == id }), id)
	ss.shelve()
	return s.Session, nil
}

// spoke notes when a turn of a session began and gives when its last one did, zero when
// it had none. A session with a turn stays in memory.
func (ss *sessions) spoke(id string, began time.Time) (last time.Time) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.open[id]
	last, s.spoke = s.spoke, began
	return last
}

// warnOnce reports whether the person was not told yet that the server reuses little in
// a session, and notes that they are now. A session with a turn stays in memory.
func (ss *sessions) warnOnce(id string) bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.open[id]
	first := !s.warned
	s.warned = true
	return first
}

// drop forgets a session, so that it is read anew.
func (ss *sessions) drop(id string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.open, id)
}

// inMemory gives the sessions that are in memory.
func (ss *sessions) inMemory() []*opened {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return slices.Collect(maps.Values(ss.open))
}

// shelve lets go of the sessions that were not used for longest. One with a turn in
// it stays. The caller holds the mutex.
func (ss *sessions) shelve() {
	for i := 0; len(ss.recent) > openSessions && i < len(ss.recent)-1; {
		id := ss.recent[i]
		if ss.runs(id) {
			i++
			continue
		}
		delete(ss.open, id)
		ss.recent = slices.Delete(ss.recent, i, i+1)
	}
}
