package args

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hardshell/tools/text"
)

// join names a field within a field.
func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// wants is the error for a value of the wrong type.
func (r *repairer) wants(field, want string, got any) error {
	if field == "" {
		return &Error{Message: "the arguments must be " + want + ", not " + r.kindOf(got)}
	}
	return &Error{Field: field, Message: fmt.Sprintf("%q must be %s, not %s", field, want, r.kindOf(got))}
}

// missing is the error for a required field that is not there, or is null.
func missing(field string, s *shape, given bool) error {
	how := "is missing"
	if given {
		how = "is null"
	}
	return &Error{Field: field, Message: fmt.Sprintf("%q %s; it must be %s", field, how, typeName(s))}
}

// oneOf holds a value to an enum.
func (r *repairer) oneOf(field string, v any, s *shape) error {
	if len(s.enum) == 0 || slices.ContainsFunc(s.enum, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		return nil
	}
	return &Error{Field: field, Message: fmt.Sprintf("%q must be one of %s, not %s", field, values(s.enum), r.kindOf(v))}
}

func values(enum []any) string {
	words := make([]string, len(enum))
	for i, e := range enum {
		words[i] = fmt.Sprint(e)
	}
	return strings.Join(words, ", ")
}

// inRange holds a number to the schema's bounds.
func inRange(field string, f float64, s *shape) error {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	if s.minimum != nil && f < *s.minimum {
		return &Error{Field: field, Message: fmt.Sprintf("%q must be %s or more, not %s", field, number(*s.minimum), number(f))}
	}
	if s.maximum != nil && f > *s.maximum {
		return &Error{Field: field, Message: fmt.Sprintf("%q must be %s or less, not %s", field, number(*s.maximum), number(f))}
	}
	return nil
}

// typeName says in words what a schema wants.
func typeName(s *shape) string {
	if len(s.enum) > 0 {
		return "one of " + values(s.enum)
	}
	switch s.kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "integer":
		return "a whole number"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	}
	return "a text"
}

// kindOf says in words what a value is, with its text when that is short.
func (r *repairer) kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return "the number " + text.Short(r.show(v.String()))
	case string:
		return fmt.Sprintf("the text %q", text.Short(r.show(v)))
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
