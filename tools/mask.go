package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
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

// minSecretLine is the shortest line of a secret of several lines (a private key)
// that is masked when it stands alone: a part of a file shows single lines.
const minSecretLine = 12

// NewMasker makes a masker. Values shorter than six bytes are left out. A value is
// also found as JSON and Go write it, and so are the lines of a long one.
func NewMasker(secrets []Secret) *Masker {
	m := &Masker{}
	seen := map[string]bool{}
	add := func(name, value string, least int) {
		if len(value) >= least && !seen[value] {
			seen[value] = true
			m.values = append(m.values, Secret{name, value})
		}
	}
	for _, s := range secrets {
		if len(s.Value) < minSecret {
			continue
		}
		for _, form := range written(s.Value) {
			add(s.Name, form, minSecret)
		}
		if strings.Contains(s.Value, "\n") {
			for line := range strings.Lines(s.Value) {
				for _, form := range written(strings.TrimSpace(line)) {
					add(s.Name, form, minSecretLine)
				}
			}
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

// written gives a value as it is and as it stands within quotes.
func written(value string) []string {
	out := []string{value}
	for _, quote := range []func(string) string{strconv.Quote, strconv.QuoteToASCII, strconv.QuoteToGraphic} {
		q := quote(value)
		out = append(out, q[1:len(q)-1])
	}
	for _, html := range []bool{true, false} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if e.Encode(value) == nil { // a string always encodes
			q := strings.TrimSuffix(b.String(), "\n")
			out = append(out, q[1:len(q)-1])
		}
	}
	return out
}

// Mask gives s without secret values.
func (m *Masker) Mask(s string) string {
	if m == nil || !slices.ContainsFunc(m.values, func(v Secret) bool { return strings.Contains(s, v.Value) }) {
		return s
	}
	return m.replacer.Replace(s)
}

// JSON gives JSON without secret values, however its texts are escaped. Without one
// it is the same bytes; what is no JSON is masked as text.
func (m *Masker) JSON(raw json.RawMessage) json.RawMessage {
	if m == nil || len(m.values) == 0 || len(raw) == 0 {
		return raw
	}
	v, err := decodeStrict(raw)
	if err != nil {
		return json.RawMessage(m.Mask(string(raw)))
	}
	plain := encode(v)
	if masked := encode(m.value(v)); !bytes.Equal(masked, plain) {
		return masked
	}
	return raw
}

// value masks every text in a JSON value, names of members included.
func (m *Masker) value(v any) any {
	switch v := v.(type) {
	case string:
		return m.Mask(v)
	case json.Number: // a secret may be all digits
		if s := m.Mask(v.String()); s != v.String() {
			return s
		}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = m.value(x)
		}
		return out
	case object:
		out := make(object, len(v))
		for i, x := range v {
			out[i] = member{m.Mask(x.name), m.value(x.value)}
		}
		return out
	}
	return v
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

// MaskStream masks a text that arrives in pieces.
type MaskStream struct {
	masker *Masker
	held   string
}

// Stream begins a text that arrives in pieces.
func (m *Masker) Stream() *MaskStream { return &MaskStream{masker: m} }

// Write takes a piece and gives what is safe to show; what may become a secret is
// held back.
func (m *MaskStream) Write(s string) string {
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

// End gives what was held back.
func (m *MaskStream) End() string {
	s := m.masker.Mask(m.held)
	m.held = ""
	return s
}
