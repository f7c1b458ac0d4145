package secret

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestMaskFindsAValueHoweverItIsWritten: as it is, and as JSON and Go quote it.
func TestMaskFindsAValueHoweverItIsWritten(t *testing.T) {
	const value = "a\"b\\c<d>\t\u00fc&e\x01"
	m := New([]Named{{"X", value}, {"KEY", "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0B\n-----END KEY-----\n"}})
	escaped, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{value, string(escaped), strconv.Quote(value), strconv.QuoteToASCII(value), `"a\"b\\c<d>\tü&e\u0001"`} {
		if got := strings.Trim(m.Redact(text), `"`); got != "[secret X]" {
			t.Errorf("%s: %s", text, got)
		}
	}
	same(t, "a line of a long one", m.Redact("3: MIIEvQIBADANBgkq"), "3: [secret KEY]")
	same(t, "a short line of a long one", m.Redact("hkiG9w0B"), "hkiG9w0B")
}

func TestMaskStreamHoldsBackTheStartOfASecret(t *testing.T) {
	m := New([]Named{{"A", "secret-one"}, {"", "secret-one-long"}, {"C", "short"}})
	for _, pieces := range [][]string{
		{"x secret-one-long y"}, {"x secr", "et-one-", "long y"}, strings.Split("x secret-one-long y", ""),
	} {
		s, out := m.Stream(), ""
		for _, p := range pieces {
			out += s.Write(p)
		}
		out += s.End()
		same(t, fmt.Sprint(pieces), out, "x [secret value] y")
	}
	s := m.Stream()
	same(t, "a start that comes to nothing", s.Write("my secret-o")+s.Write("ther")+s.Write(" secret-one")+s.End(), "my secret-other [secret A]")
	same(t, "below six bytes", m.Redact("a short word"), "a short word")
	var none *Redactor
	same(t, "no redactor", none.Redact("secret-one"), "secret-one")
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
