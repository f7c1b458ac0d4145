package session

import (
	"maps"

	"hardshell/runtime/store"
)

// PlanKey is the key under which a conversation's plan is kept. It belongs to what
// is talked about, so it ends with Reset; every other key is a setting, which only
// another Keep ends.
const PlanKey = "plan"

// Keep stores a value beside the conversation: it is never sent. An empty value
// takes the key out. When it returns nil the value is on the disk.
func (s *Session) Keep(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st.kept[key] == value {
		return nil
	}
	return s.commit(entry(store.KindKept, "", fact{Key: key, Value: value}))
}

// Kept is the value that Keep was last given for a key, empty when there is none.
func (s *Session) Kept(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.kept[key]
}

// LastDelivered is the value of a fact that the model was told last since the newest
// boundary; ok is false when it was told none.
func (s *Session) LastDelivered(key string) (value string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok = s.st.delivered[key]
	return value, ok
}

// Changed notes what a fact is now, as Told does, and gives what the model was told of
// it before. Changed is false where nothing differs, and where the model was told
// nothing yet since the newest boundary.
func (s *Session) Changed(key, now string) (before string, changed bool, err error) {
	before, known := s.LastDelivered(key)
	told, err := s.Delivered(key, now)
	return before, known && !told && err == nil, err
}

// settings is what outlives Reset of what is kept.
func (st state) settings() map[string]string {
	out := maps.Clone(st.kept)
	delete(out, PlanKey)
	return out
}
