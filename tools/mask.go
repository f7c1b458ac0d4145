package tools

import (
	"cmp"
	"slices"
	"strings"

	"hardshell/policy"
)

// Secret is a value that must not leave in any text. Name is what stands in its
// place.
type Secret struct{ Name, Value string }

// minSecret is the shortest value that is masked: shorter ones would shred
// ordinary text. The config refuses them.
const minSecret = 6

// Masker puts a mark where a secret value stood. A nil Masker masks nothing.
type Masker struct {
	values   []Secret // longest value first, so that one that holds another wins
	replacer *strings.Replacer
}

// NewMasker makes a masker. Values shorter than six bytes are left out.
func NewMasker(secrets []Secret) *Masker {
	m := &Masker{}
	for _, s := range secrets {
		if len(s.Value) >= minSecret {
			m.values = append(m.values, s)
		}
	}
	slices.SortStableFunc(m.values, func(a, b Secret) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	var pairs []string
	for _, s := range m.values {
		name := s.Name
		if name == "" {
			name = "value"
		}
		pairs = append(pairs, s.Value, "[secret "+name+"]")
	}
	m.replacer = strings.NewReplacer(pairs...)
	return m
}

// Mask gives s without secret values.
func (m *Masker) Mask(s string) string {
	if m == nil || len(m.values) == 0 {
		return s
	}
	return m.replacer.Replace(s)
}

// action gives a copy of an action without secret values, for the record. It comes
// before quoting, which would change a value so that it is not found.
func (m *Masker) action(a policy.Action) policy.Action {
	if a.Exec != nil {
		e := *a.Exec
		e.Argv, e.Env = m.all(e.Argv), m.all(e.Env)
		e.Script, e.Cwd, e.Stdin = m.Mask(e.Script), m.Mask(e.Cwd), m.Mask(e.Stdin)
		a.Exec = &e
	}
	if a.File != nil {
		f := *a.File
		f.Path = m.Mask(f.Path)
		a.File = &f
	}
	a.Files = slices.Clone(a.Files)
	for i := range a.Files {
		a.Files[i].Path = m.Mask(a.Files[i].Path)
	}
	return a
}

func (m *Masker) all(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = m.Mask(out[i])
	}
	return out
}

// pending is the length of the longest end of s that could be the start of a
// secret.
func (m *Masker) pending(s string) int {
	longest := 0
	if m == nil {
		return 0
	}
	for _, v := range m.values {
		for n := min(len(v.Value)-1, len(s)); n > longest; n-- {
			if strings.HasSuffix(s, v.Value[:n]) {
				longest = n
				break
			}
		}
	}
	return longest
}

// at looks at one place of a text: the value that stands there, if one does, and
// whether the text ends within a value that may still come.
func (m *Masker) at(s string) (mark string, length int, open bool) {
	if m == nil {
		return "", 0, false
	}
	for _, v := range m.values { // longest first
		if len(s) < len(v.Value) && strings.HasPrefix(v.Value, s) {
			return "", 0, true
		}
		if strings.HasPrefix(s, v.Value) {
			return m.replacer.Replace(v.Value), len(v.Value), false
		}
	}
	return "", 0, false
}

// maskStream masks a text that arrives in pieces.
type maskStream struct {
	masker *Masker
	held   string
}

// write takes a piece and gives what is safe to show; what may become a secret is
// held back.
func (m *maskStream) write(s string) string {
	if m.masker == nil || len(m.masker.values) == 0 {
		return s
	}
	s = m.held + s
	m.held = ""
	var out strings.Builder
	for len(s) > 0 {
		mark, n, open := m.masker.at(s)
		switch {
		case open:
			m.held = s
			return out.String()
		case n > 0:
			out.WriteString(mark)
			s = s[n:]
		default:
			out.WriteByte(s[0])
			s = s[1:]
		}
	}
	return out.String()
}

// end gives what was held back.
func (m *maskStream) end() string {
	s := m.masker.Mask(m.held)
	m.held = ""
	return s
}
