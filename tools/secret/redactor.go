package secret

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Named is a value that must not leave in any text. Name is what stands in its
// place.
type Named struct{ Name, Value string }

// minSecret is the shortest value that is redacted: shorter ones would shred
// ordinary text. The config refuses them.
const minSecret = 6

// Redactor puts a mark where a secret value stood. A nil Redactor changes nothing.
type Redactor struct {
	values   []Named // longest value first, so that one that holds another wins
	replacer *strings.Replacer
}

// minSecretLine is the shortest line of a secret of several lines (a private key)
// that is redacted when it stands alone: a part of a file shows single lines.
const minSecretLine = 12

// New makes a redactor. Values shorter than six bytes are left out. A value is
// also found as JSON and Go write it, and so are the lines of a long one.
func New(secrets []Named) *Redactor {
	m := &Redactor{}
	seen := map[string]bool{}
	add := func(name, value string, least int) {
		if len(value) >= least && !seen[value] {
			seen[value] = true
			m.values = append(m.values, Named{name, value})
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
	slices.SortStableFunc(m.values, func(a, b Named) int { return cmp.Compare(len(b.Value), len(a.Value)) })
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

// Redact gives s without secret values.
func (m *Redactor) Redact(s string) string {
	if m.Empty() || !slices.ContainsFunc(m.values, func(v Named) bool { return strings.Contains(s, v.Value) }) {
		return s
	}
	return m.replacer.Replace(s)
}

// All gives a copy of texts without secret values.
func (m *Redactor) All(in []string) []string {
	out := slices.Clone(in)
	for i := range out {
		out[i] = m.Redact(out[i])
	}
	return out
}

// Empty reports that there is nothing to look for.
func (m *Redactor) Empty() bool { return m == nil || len(m.values) == 0 }

// Pending is the length of the longest end of s that could be the start of a
// secret.
func (m *Redactor) Pending(s string) int {
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
func (m *Redactor) at(s string) (mark string, length int, open bool) {
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

// Stream redacts a text that arrives in pieces.
type Stream struct {
	redactor *Redactor
	held     string
}

// Stream begins a text that arrives in pieces.
func (m *Redactor) Stream() *Stream { return &Stream{redactor: m} }

// Write takes a piece and gives what is safe to show; what may become a secret is
// held back.
func (m *Stream) Write(s string) string {
	if m.redactor.Empty() {
		return s
	}
	s = m.held + s
	m.held = ""
	var out strings.Builder
	for len(s) > 0 {
		mark, n, open := m.redactor.at(s)
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
func (m *Stream) End() string {
	s := m.redactor.Redact(m.held)
	m.held = ""
	return s
}
