package prompt

import (
	"hardshell/assembly"
	"hardshell/runtime/session"
)

// keySandbox is the fact by which a session knows which sandbox its prompt names.
const keySandbox = "sandbox"

// sandboxFact tells that commands run in another sandbox than the session was told
// of; its prompt tells of the first. Empty when nothing changed.
func (m *Maker) sandboxFact(s *session.Session) (string, error) {
	if m.cfg.Confined == nil {
		return "", nil
	}
	now := boxed(*m.cfg.Confined)
	if _, changed, err := s.Changed(keySandbox, now); !changed {
		return "", err
	}
	return "sandbox: " + now, nil
}

// boxed says what a sandbox is, in words for the model.
func boxed(c assembly.Confined) string {
	switch {
	case c.Note != "":
		return c.Note
	case c.Network:
		return "commands run in a weaker one now, with network"
	}
	return "commands run in a whole one again, without network"
}
