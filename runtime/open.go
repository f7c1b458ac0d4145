package runtime

import (
	"slices"
	"time"

	"hardshell/runtime/session"
)

// openSessions is how many sessions stay in memory while no turn runs in them. An
// agent that runs for months sees thousands of them; each is read anew when it is
// needed again.
const openSessions = 16

// opened is a session in memory, with what is remembered of it as long as it is there.
type opened struct {
	*session.Session
	spoke  time.Time // when its last turn began, or what is stored of it was stored; zero when never
	warned bool      // the person was told that the server reuses little
}

// session opens a session of this agent and keeps it while it is used.
func (a *Agent) session(id string) (*session.Session, error) {
	if p := a.foreign(id); p != nil {
		return nil, p
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if s == nil {
		info, _, err := a.cfg.Store.Session(id)
		if err != nil {
			return nil, err
		}
		s = &opened{spoke: info.Updated}
		if s.Session, err = session.Open(a.cfg.Store, id); err != nil {
			return nil, err
		}
		a.sessions[id] = s
	}
	a.recent = append(slices.DeleteFunc(a.recent, func(other string) bool { return other == id }), id)
	a.shelve()
	return s.Session, nil
}

// spoke notes when a turn of a session began and gives when its last one did, zero when
// it had none. A session with a turn stays in memory.
func (a *Agent) spoke(id string, began time.Time) (last time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	last, s.spoke = s.spoke, began
	return last
}

// shelve lets go of the sessions that were not used for longest. One with a turn in
// it stays. The caller holds the mutex.
func (a *Agent) shelve() {
	for i := 0; len(a.recent) > openSessions && i < len(a.recent)-1; {
		id := a.recent[i]
		if a.turns[id] != nil {
			i++
			continue
		}
		delete(a.sessions, id)
		a.recent = slices.Delete(a.recent, i, i+1)
	}
}
