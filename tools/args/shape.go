package args

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// shape is the part of a JSON Schema that Repair goes by, properties in the order
// in which they are written.
type shape struct {
	kind       string // object, array, string, integer, number, boolean; empty: anything
	names      []string
	properties map[string]*shape
	required   []string
	items      *shape
	additional *shape // values of an object whose names are free
	enum       []any
	minimum    *float64
	maximum    *float64
	// further is true when the schema has a keyword that this type does not know:
	// then the whole schema is asked as well.
	further bool
}

// shapeOf reads a schema.
func shapeOf(raw json.RawMessage) (*shape, error) {
	v, err := decodeStrict(raw)
	if err != nil {
		return nil, fmt.Errorf("the tool's schema can't be read: %w", err)
	}
	return shapeFrom(v), nil
}

func shapeFrom(v any) *shape {
	s := &shape{}
	o, ok := v.(object)
	if !ok { // true or false
		s.further = v != true
		return s
	}
	for _, m := range o {
		s.take(m)
	}
	return s
}

// take reads one keyword.
func (s *shape) take(m member) {
	switch m.name {
	case "type":
		s.setType(m.value)
	case "properties":
		s.properties = map[string]*shape{}
		props, _ := m.value.(object)
		for _, p := range props {
			s.names = append(s.names, p.name)
			s.properties[p.name] = shapeFrom(p.value)
			s.further = s.further || s.properties[p.name].further
		}
	case "required":
		list, _ := m.value.([]any)
		for _, r := range list {
			name, _ := r.(string)
			s.required = append(s.required, name)
		}
	case "items":
		s.items = shapeFrom(m.value)
		s.further = s.further || s.items.further
	case "additionalProperties":
		if o, ok := m.value.(object); ok {
			s.additional = shapeFrom(o)
			s.further = s.further || s.additional.further
		}
	case "enum":
		s.enum, _ = m.value.([]any)
	case "minimum":
		s.minimum = float(m.value)
	case "maximum":
		s.maximum = float(m.value)
	case "description", "title", "default", "examples", "$schema", "$comment":
	default:
		s.further = true
	}
}

// setType takes one type, or the one besides null of a list of two.
func (s *shape) setType(v any) {
	switch v := v.(type) {
	case string:
		s.kind = v
	case []any:
		rest := slices.DeleteFunc(slices.Clone(v), func(t any) bool { return t == "null" })
		if len(rest) == 1 {
			s.kind, _ = rest[0].(string)
		} else {
			s.further = true
		}
	}
}

func float(v any) *float64 {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil
	}
	return &f
}

// validate asks the whole schema. It is needed only where shape does not know all
// of its keywords.
func validate(schema, args json.RawMessage) error {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(schema, s); err != nil {
		return fmt.Errorf("the tool's schema can't be read: %w", err)
	}
	rs, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("the tool's schema can't be used: %w", err)
	}
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return err
	}
	if err := rs.Validate(v); err != nil {
		return &Error{Message: err.Error()}
	}
	return nil
}
