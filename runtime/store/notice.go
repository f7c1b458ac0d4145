package store

import (
	"slices"

	"hardshell/runtime/event"
)

// maxNotices bounds what is kept to be told; later ones push the oldest out.
const maxNotices = 100

// Notices is what a person should know of the store: what was repaired, set
// aside or restored since it was opened, oldest first, and which clean-up keeps
// failing.
func (s *Store) Notices() []event.Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notices)
}

// notice adds to what is to be told, each thing once.
func (s *Store) notice(code, message, hint string) {
	n := event.Notice{Code: code, Message: message, Hint: hint}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.notices, n) {
		return
	}
	s.notices = append(s.notices, n)
	if len(s.notices) > maxNotices {
		s.notices = slices.Delete(s.notices, 0, 1)
	}
}

// settle takes back what is no longer so.
func (s *Store) settle(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = slices.DeleteFunc(s.notices, func(n event.Notice) bool { return n.Code == code })
}
