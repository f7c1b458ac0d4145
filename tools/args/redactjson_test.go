package args

import (
	"encoding/json"
	"strings"
	"testing"

	"hardshell/tools/secret"
)

// TestRedactFindsAValueInJSON: however its texts are escaped, as a value, a name or a
// number.
func TestRedactFindsAValueInJSON(t *testing.T) {
	const value = "a\"b\\c<d>\t\u00fc&e\x01"
	m := secret.New([]secret.Named{{Name: "X", Value: value}, {Name: "KEY", Value: "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0B\n-----END KEY-----\n"}})
	escaped, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"a":["\u0061\"b\\c<d>\t\u00fc&e\u0001",1],"a\"b\\c<d>\t\u00fc&e\u0001":true}`: `{"a":["[secret X]",1],"[secret X]":true}`,
		`{ "a" : "plain" }`:                           `{ "a" : "plain" }`,
		`{"a":"` + strings.Trim(string(escaped), `"`): `{"a":"[secret X]`,
	} {
		same(t, in, string(Redact(m, json.RawMessage(in))), want)
	}
	digits := secret.New([]secret.Named{{Name: "PIN", Value: "123456789"}})
	same(t, "digits", string(Redact(digits, json.RawMessage(`[123456789,5]`))), `["[secret PIN]",5]`)
	var none *secret.Redactor
	same(t, "no redactor", string(Redact(none, json.RawMessage(`{"a":1}`))), `{"a":1}`)
}
