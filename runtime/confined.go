package runtime

import "hardshell/assembly"

// keySandbox is the fact by which a session knows which sandbox its prompt names.
const keySandbox = "sandbox"

// sandboxFact tells that commands run in another sandbox than the session was told
// of; its prompt tells of the first. Empty when nothing changed.
func (t *turn) sandboxFact() (string, error) {
	if t.a.cfg.Confined == nil {
		return "", nil
	}
	now := boxed(*t.a.cfg.Confined)
	if _, changed, err := t.s.Changed(keySandbox, now); !changed {
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
