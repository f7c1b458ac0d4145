package args

import (
	"bytes"
	"encoding/json"

	"hardshell/tools/secret"
)

// Redact gives JSON without secret values, however its texts are escaped. Without one
// it is the same bytes; what is no JSON is redacted as text.
func Redact(m *secret.Redactor, raw json.RawMessage) json.RawMessage {
	if m.Empty() || len(raw) == 0 {
		return raw
	}
	v, err := decodeStrict(raw)
	if err != nil {
		return json.RawMessage(m.Redact(string(raw)))
	}
	plain := encode(v)
	if redacted := encode(redactValue(m, v)); !bytes.Equal(redacted, plain) {
		return redacted
	}
	return raw
}

// redactValue redacts every text in a JSON value, names of members included.
func redactValue(m *secret.Redactor, v any) any {
	switch v := v.(type) {
	case string:
		return m.Redact(v)
	case json.Number: // a secret may be all digits
		if s := m.Redact(v.String()); s != v.String() {
			return s
		}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = redactValue(m, x)
		}
		return out
	case object:
		out := make(object, len(v))
		for i, x := range v {
			out[i] = member{m.Redact(x.name), redactValue(m, x.value)}
		}
		return out
	}
	return v
}
