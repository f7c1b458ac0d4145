package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// set puts a value as TOML decodes it into its place. The error says what is
// wrong in words that follow "model.name ".
func (f Field) set(v reflect.Value, val any) error {
	dst := f.of(v)
	switch x := val.(type) {
	case string:
		if f.inWords() == "a list of strings" {
			return fmt.Errorf("wants a list of strings, not one: write [%q]", x)
		}
		if !f.takesString() {
			return fmt.Errorf("wants %s, not the string %q: leave the quotes out", f.inWords(), x)
		}
		return f.text(dst, x)
	case int64:
		return f.number(dst, x)
	case float64:
		if f.inWords() != "a number" {
			return fmt.Errorf("wants %s, not the number %v", f.inWords(), x)
		}
		put(dst, reflect.ValueOf(x))
		return nil
	case bool:
		if f.kind() != reflect.Bool {
			return fmt.Errorf("wants %s, not %v", f.inWords(), x)
		}
		put(dst, reflect.ValueOf(x))
		return nil
	case []any:
		return f.list(dst, x)
	case map[string]any:
		return f.names(dst, x)
	}
	return fmt.Errorf("wants %s, not a %s", f.inWords(), tomlKind(val))
}

// takesString reports whether the value is written in quotes.
func (f Field) takesString() bool {
	return f.typ == durationType || f.typ == sizeType || f.typ.Kind() == reflect.String
}

// text sets a value that is written in quotes.
func (f Field) text(dst reflect.Value, s string) error {
	switch p := dst.Addr().Interface().(type) {
	case encoding.TextUnmarshaler: // a Duration or a ByteSize
		if err := p.UnmarshalText([]byte(s)); err != nil {
			return fmt.Errorf("= %w", err)
		}
		return nil
	}
	if strings.ContainsRune(s, 0) {
		return fmt.Errorf("holds a zero byte: write plain text")
	}
	dst.SetString(s)
	return nil
}

// number sets a value that is written as a whole number.
func (f Field) number(dst reflect.Value, n int64) error {
	switch f.inWords() {
	case "a whole number":
		if int64(int(n)) != n {
			return fmt.Errorf("= %d is more than this machine can count: write a smaller number", n)
		}
		put(dst, reflect.ValueOf(int(n)))
	case "a number":
		put(dst, reflect.ValueOf(float64(n)))
	case "an amount of data":
		return f.text(dst, strconv.FormatInt(n, 10))
	case "a time span":
		return f.text(dst, strconv.FormatInt(n, 10)) // refused with the unit to write
	default:
		return fmt.Errorf("wants %s, not the number %d", f.inWords(), n)
	}
	return nil
}

// put sets a plain value, behind a pointer where unset is a value of its own.
func put(dst, x reflect.Value) {
	if dst.Kind() == reflect.Pointer {
		behind := reflect.New(x.Type())
		behind.Elem().Set(x)
		x = behind
	}
	dst.Set(x)
}

// list sets a list of strings.
func (f Field) list(dst reflect.Value, xs []any) error {
	if f.inWords() != "a list of strings" {
		return fmt.Errorf("wants %s, not a list", f.inWords())
	}
	out := make([]string, 0, len(xs))
	for i, x := range xs {
		s, ok := x.(string)
		if !ok {
			return fmt.Errorf("wants a list of strings, but entry %d is a %s", i+1, tomlKind(x))
		}
		out = append(out, s)
	}
	dst.Set(reflect.ValueOf(out))
	return nil
}

// names sets a table of names.
func (f Field) names(dst reflect.Value, xs map[string]any) error {
	if f.typ != namesType {
		return fmt.Errorf("wants %s, not a table", f.inWords())
	}
	out := Names{}
	for name, x := range xs {
		s, ok := x.(string)
		if !ok {
			return fmt.Errorf("wants a string for each name, but %s is a %s", name, tomlKind(x))
		}
		out[name] = s
	}
	dst.Set(reflect.ValueOf(out))
	return nil
}

// check says what is wrong with the value in its place, nil when nothing is.
func (f Field) check(v reflect.Value) error {
	dst := f.of(v)
	if f.typ.Kind() == reflect.Pointer {
		if dst.IsNil() {
			return nil
		}
		dst = dst.Elem()
	}
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, dst.String()) {
		return fmt.Errorf("= %q is none of %s", dst.String(), strings.Join(f.Enum, ", "))
	}
	if d, ok := dst.Interface().(Duration); ok && d == forever {
		if f.forever {
			return nil
		}
		return fmt.Errorf("= \"forever\" has no end: write a span of at most %s", f.Max)
	}
	x, ok := scalar(dst)
	if !ok {
		return nil
	}
	if f.Min != "" && x < f.bound(f.Min) || f.Max != "" && x > f.bound(f.Max) || x != x {
		return fmt.Errorf("= %v is out of range: write %s to %s", dst.Interface(), f.Min, f.Max)
	}
	return nil
}

// bound is a limit of a tag as a number. A tag that can't be read is a fault of
// this package, and its test finds it.
func (f Field) bound(s string) float64 {
	v := reflect.New(f.typ).Elem()
	if f.typ == durationType || f.typ == sizeType {
		if err := f.text(v, s); err != nil {
			panic("config: internal error: bound of " + f.Key + ": " + err.Error())
		}
		x, _ := scalar(v)
		return x
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("config: internal error: bound of " + f.Key + ": " + err.Error())
	}
	return x
}

// scalar is a value as a number, false when it has none.
func scalar(v reflect.Value) (float64, bool) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return float64(v.Int()), true
	case reflect.Float64:
		return v.Float(), true
	}
	return 0, false
}

// tomlKind names the type of a decoded value.
func tomlKind(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case int64, float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "list"
	case map[string]any:
		return "table"
	}
	return "date or time"
}
