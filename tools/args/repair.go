package args

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hardshell/policy/wording"
	"hardshell/tools/text"
)

// Error says which argument does not fit and what is wanted.
type Error struct {
	Field   string // empty when the arguments as a whole are meant
	Message string
}

func (e *Error) Error() string { return e.Message }

// Repair makes loosely typed arguments fit a schema, by the schema alone: a quoted
// number or boolean becomes one where the schema wants one and the text is exactly
// that, null for an optional field means absent, any value becomes its own JSON
// text where text is wanted, a field that the schema does not have is dropped. Text
// where text is wanted is never touched. It returns the arguments in the schema's
// order, what was repaired (one sentence each), and an *Error that names
// the field when they don't fit.
func Repair(schema, given json.RawMessage) (json.RawMessage, []string, error) {
	return RepairShowing(schema, given, func(s string) string { return s })
}

// RepairShowing is Repair whose notes and errors quote what show gives for a text: it
// takes out what nobody may read, before anything is cut.
func RepairShowing(schema, given json.RawMessage, show func(string) string) (json.RawMessage, []string, error) {
	s, err := shapeOf(schema)
	if err != nil {
		return nil, nil, err
	}
	v, err := decodeStrict(blankIsEmpty(given))
	if err != nil {
		return nil, nil, &Error{Message: "the arguments are no JSON object: " + err.Error()}
	}
	r := &repairer{show: show}
	if text, ok := v.(string); ok && s.kind == "object" { // an object that was quoted as a whole
		if inner, err := decodeStrict([]byte(text)); err == nil {
			v = inner
			r.note("the arguments came as text and were read as the object in it")
		}
	}
	out, err := r.fit("", v, s)
	if err != nil {
		return nil, nil, err
	}
	fitted := encode(out)
	if s.further {
		if err := validate(schema, fitted); err != nil {
			return nil, nil, err
		}
	}
	return fitted, r.notes, nil
}

// blankIsEmpty reads no arguments, or null, as an empty object.
func blankIsEmpty(args json.RawMessage) json.RawMessage {
	if t := strings.TrimSpace(string(args)); t == "" || t == "null" {
		return json.RawMessage("{}")
	}
	return args
}

type repairer struct {
	notes []string
	show  func(string) string
}

func (r *repairer) note(format string, a ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, a...))
}

// fit makes a value fit a schema, or says why it can't.
func (r *repairer) fit(field string, v any, s *shape) (any, error) {
	var err error
	switch s.kind {
	case "object":
		v, err = r.object(field, v, s)
	case "array":
		v, err = r.list(field, v, s)
	case "string":
		v, err = r.text(field, v)
	case "integer":
		v, err = r.integer(field, v, s)
	case "number":
		v, err = r.number(field, v, s)
	case "boolean":
		v, err = r.boolean(field, v)
	}
	if err != nil {
		return nil, err
	}
	return v, r.oneOf(field, v, s)
}

func (r *repairer) object(field string, v any, s *shape) (any, error) {
	if text, ok := v.(string); ok {
		if inner, err := decodeStrict([]byte(text)); err == nil {
			if o, ok := inner.(object); ok {
				r.note("%q came as text and was read as the object in it", field)
				v = o
			}
		}
	}
	in, ok := v.(object)
	if !ok {
		return nil, r.wants(field, "an object", v)
	}
	if s.properties == nil {
		return r.mapping(field, in, s)
	}
	out := object{}
	for _, name := range s.names {
		v, given := in.get(name)
		if !given || v == nil {
			if slices.Contains(s.required, name) {
				return nil, missing(join(field, name), s.properties[name], given)
			}
			continue
		}
		fitted, err := r.fit(join(field, name), v, s.properties[name])
		if err != nil {
			return nil, err
		}
		out = append(out, member{name, fitted})
	}
	for _, m := range in {
		if s.properties[m.name] == nil {
			meant := ""
			if n := wording.Nearest(m.name, s.names); n != "" {
				meant = fmt.Sprintf("; perhaps you mean %q", n)
			}
			r.note("%q is no argument here and was left out%s", text.Short(r.show(m.name)), meant)
		}
	}
	return out, nil
}

// mapping fits an object whose names are free.
func (r *repairer) mapping(field string, in object, s *shape) (any, error) {
	if s.additional == nil {
		return in, nil
	}
	out := object{}
	for _, m := range in {
		v, err := r.fit(join(field, m.name), m.value, s.additional)
		if err != nil {
			return nil, err
		}
		out = append(out, member{m.name, v})
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func (r *repairer) list(field string, v any, s *shape) (any, error) {
	if text, ok := v.(string); ok {
		if inner, err := decodeStrict([]byte(text)); err == nil {
			if l, ok := inner.([]any); ok {
				r.note("%q came as text and was read as the list in it", field)
				v = l
			}
		}
	}
	in, ok := v.([]any)
	if !ok {
		return nil, r.wants(field, "a list", v)
	}
	if s.items == nil {
		return in, nil
	}
	out := make([]any, 0, len(in))
	for i, x := range in {
		fitted, err := r.fit(field+"["+strconv.Itoa(i)+"]", x, s.items)
		if err != nil {
			return nil, err
		}
		out = append(out, fitted)
	}
	return out, nil
}

// Text takes text as it is; any other value becomes its JSON text, as it was
// written.
func (r *repairer) text(field string, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return nil, r.wants(field, "a text", v)
	default:
		r.note("%q came as %s and was taken as its JSON text", field, r.kindOf(v))
		return string(encode(v)), nil
	}
}

// wholeText and numberText report a text that is exactly a number as JSON has it.
func wholeText(s string) bool {
	return numberText(s) && !strings.ContainsAny(s, ".eE")
}

func numberText(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' && json.Valid([]byte(s))
}

func (r *repairer) integer(field string, v any, s *shape) (any, error) {
	n, err := r.digits(field, v, "a whole number", wholeText)
	if err != nil {
		return nil, err
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil { // 2.0 and 1e3 are whole, 2.5 and 1e300 are not for us
		f, ferr := n.Float64()
		if ferr != nil || f != float64(int64(f)) || f > 1<<53 || f < -1<<53 {
			return nil, r.wants(field, "a whole number", v)
		}
		i = int64(f)
	}
	return json.Number(strconv.FormatInt(i, 10)), inRange(field, float64(i), s)
}

func (r *repairer) number(field string, v any, s *shape) (any, error) {
	n, err := r.digits(field, v, "a number", numberText)
	if err != nil {
		return nil, err
	}
	f, err := n.Float64()
	if err != nil {
		return nil, r.wants(field, "a number", v)
	}
	return n, inRange(field, f, s)
}

// digits takes a number, or a text that is exactly a number.
func (r *repairer) digits(field string, v any, want string, exactly func(string) bool) (json.Number, error) {
	switch v := v.(type) {
	case json.Number:
		return v, nil
	case string:
		if exactly(v) {
			r.note("%q came as text and was read as %s", field, want)
			return json.Number(v), nil
		}
	}
	return "", r.wants(field, want, v)
}

func (r *repairer) boolean(field string, v any) (any, error) {
	switch v {
	case true, false:
		return v, nil
	case "true", "false":
		r.note("%q came as text and was read as true or false", field)
		return v == "true", nil
	}
	return nil, r.wants(field, "true or false", v)
}
