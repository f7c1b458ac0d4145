package args

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// object is a JSON object in the order in which it was written, so that text that
// is made from it reads as the model wrote it.
type object []member

type member struct {
	name  string
	value any // nil, bool, json.Number, string, []any or object
}

// get gives the value of a member.
func (o object) get(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// maxDepth bounds nesting, so that brackets alone can't exhaust the stack.
const maxDepth = 64

// decodeStrict reads one JSON value. Numbers keep their text, members their order;
// a key that occurs twice, bytes that are no UTF-8, half a surrogate pair and
// anything behind the value are errors.
func decodeStrict(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("they hold bytes that are no UTF-8; write them as text")
	}
	if half, ok := loneSurrogate(raw); ok {
		return nil, fmt.Errorf("they hold %s, half of a character; write the whole character", half)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON object; send one object alone")
	}
	return v, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("they nest deeper than %d levels; make them flatter", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	switch t {
	case json.Delim('{'):
		return decodeObject(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, notJSON(err)
	}
	return t, nil
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	o, seen := object{}, map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("they are no valid JSON object")
		}
		if seen[name] {
			return nil, fmt.Errorf("the field %q is given twice; give it once", name)
		}
		seen[name] = true
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o = append(o, member{name, v})
	}
	_, err := d.Token()
	return o, notJSON(err)
}

func notJSON(err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("they end too early to be JSON; send the whole object")
	}
	return fmt.Errorf("they are no valid JSON (%w); send one JSON object", err)
}

// loneSurrogate finds an escape such as \ud83d without its other half.
// encoding/json would put U+FFFD there without a word.
func loneSurrogate(raw []byte) (string, bool) {
	for i := 0; i+6 <= len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] != 'u' {
			i++ // an escaped character, perhaps a backslash
			continue
		}
		r, ok := escape(raw[i:])
		if !ok || !utf16.IsSurrogate(r) {
			i += 5
			continue
		}
		if low, ok := escape(raw[min(i+6, len(raw)):]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			i += 11
			continue
		}
		return string(raw[i : i+6]), true
	}
	return "", false
}

// escape reads \uXXXX at the start of b.
func escape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	return rune(n), err == nil
}

// encode writes a value as compact JSON, members in their order.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	encodeTo(&b, v)
	return b.Bytes()
}

func encodeTo(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encodeTo(b, m.name)
			b.WriteByte(':')
			encodeTo(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encodeTo(b, x)
		}
		b.WriteByte(']')
	default:
		var one bytes.Buffer
		e := json.NewEncoder(&one)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil { // nil, bool, number or string
			panic("tools: internal error: " + err.Error())
		}
		b.Write(bytes.TrimSuffix(one.Bytes(), []byte("\n")))
	}
}
