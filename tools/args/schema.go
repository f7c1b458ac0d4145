package args

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf makes the schema of an argument struct, as few bytes as say everything:
// types, items, required fields, and the values of an enum tag
// (`enum:"list,poll"`). Optional fields carry omitempty.
func SchemaOf[T any]() json.RawMessage {
	s, err := jsonschema.For[T](nil)
	if err != nil { // the argument structs are ours and fixed
		panic("tools: internal error: " + err.Error())
	}
	trim(s)
	if s.Properties == nil { // servers want the key, and Repair drops what is not in it
		s.Properties = map[string]*jsonschema.Schema{}
	}
	enums(s, reflect.TypeFor[T]())
	return compact(s)
}

// trim takes out what costs bytes and says nothing to a model: that further
// properties are not allowed (Repair drops them) and that a list may be null
// (Repair knows null).
func trim(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Type == "" {
		s.AdditionalProperties = nil
	}
	trim(s.Items)
	trim(s.AdditionalProperties)
	for _, p := range s.Properties {
		trim(p)
	}
}

// enums gives properties the closed set of values that their field's tag names.
// The type is left out then: the values say it.
func enums(s *jsonschema.Schema, t reflect.Type) {
	for f := range t.Fields() {
		words := f.Tag.Get("enum")
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if words == "" || s.Properties[name] == nil {
			continue
		}
		p := s.Properties[name]
		p.Type = ""
		for w := range strings.SplitSeq(words, ",") {
			p.Enum = append(p.Enum, w)
		}
	}
}

func compact(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic("tools: internal error: " + err.Error())
	}
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		panic("tools: internal error: " + err.Error())
	}
	return out.Bytes()
}

// Decode fills an argument struct from arguments that Repair has checked.
func Decode(args json.RawMessage, into any) error {
	if err := json.Unmarshal(args, into); err != nil {
		return &Error{Message: "the arguments can't be read: " + err.Error()}
	}
	return nil
}
