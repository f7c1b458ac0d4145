package runtime

import (
	"slices"

	"hardshell/runtime/session"
)

// openSessions is how many sessions stay in memory while no turn runs in them. An
// agent that runs for months sees thousands of them; each is read anew when it is
// needed again.
const openSessions = 16

// session opens a session of this agent and keeps it while it is used.
func (a *Agent) session(id string) (*session.Session, error) {
	if p := a.foreign(id); p != nil {
		return nil, p
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if s == nil {
		var err error
		if s, err = session.Open(a.cfg.Store, id); err != nil {
			return nil, err
		}
		a.sessions[id] = s
	}
	a.recent = append(slices.DeleteFunc(a.recent, func(other string) bool { return other == id }), id)
	a.shelve()
	return s, nil
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
