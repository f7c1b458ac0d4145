package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// hidden stands in place of a secret.
const hidden = "***"

// Values lists every setting with its value as plain data, section by section,
// secrets hidden: what "agent config show --json" prints.
func (c Config) Values() map[string]any {
	out := map[string]any{}
	v := reflect.ValueOf(c)
	for _, f := range fieldsOf(configType, "", nil) {
		at := out
		if name := f.section(); name != "" {
			if out[name] == nil {
				out[name] = map[string]any{}
			}
			at = out[name].(map[string]any)
		}
		at[f.last()] = f.shown(f.of(v))
	}
	for _, l := range lists {
		items := []any{}
		for i := range l.of(v).Len() {
			one := map[string]any{}
			for _, f := range l.fields() {
				one[f.last()] = f.shown(f.of(l.of(v).Index(i)))
			}
			items = append(items, one)
		}
		out[l.name] = items
	}
	return out
}

// shown is a value as plain data.
func (f Field) shown(v reflect.Value) any {
	if f.Secret {
		out := make([]string, v.Len())
		for i := range out {
			out[i] = hidden
		}
		return out
	}
	if unset(v) && (v.Kind() != reflect.String || len(f.Enum) > 0) {
		return nil
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	return v.Interface()
}

// TOML writes every setting as a config file that could be read back, with the
// origin of each value behind it. Secrets are hidden.
func (c Config) TOML() string {
	var b strings.Builder
	v := reflect.ValueOf(c)
	section := ""
	for _, f := range fieldsOf(configType, "", nil) {
		if s := f.section(); s != section {
			section = s
			fmt.Fprintf(&b, "\n[%s]\n", s)
		}
		b.WriteString(f.line(f.of(v), c.origin(f.Key)))
	}
	for _, l := range lists {
		for i := range l.of(v).Len() {
			fmt.Fprintf(&b, "\n[[%s]]\n", l.name)
			for _, f := range l.fields() {
				b.WriteString(f.line(f.of(l.of(v).Index(i)), c.origin(indexed(l.name, i)+"."+f.last())))
			}
		}
	}
	return b.String()
}

// line is one setting as a line of TOML.
func (f Field) line(v reflect.Value, from string) string {
	val := f.shown(v)
	if val == nil {
		return fmt.Sprintf("# %s is unset\n", f.last())
	}
	return fmt.Sprintf("%s = %s  # %s\n", f.last(), literal(val), from)
}

// literal is a value as TOML writes it.
func literal(v any) string {
	switch x := v.(type) {
	case string:
		return quote(x)
	case Names:
		parts := make([]string, 0, len(x))
		for _, name := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, quote(name)+" = "+quote(x[name]))
		}
		return strings.TrimRight("{ "+strings.Join(parts, ", "), " ") + " }"
	case []string:
		parts := make([]string, len(x))
		for i, s := range x {
			parts[i] = quote(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case float64:
		s := strconv.FormatFloat(x, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	}
	return fmt.Sprint(v)
}

// quote is a string as TOML writes it: JSON's escapes are TOML's.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string always marshals
		panic("config: internal error: " + err.Error())
	}
	return strings.ReplaceAll(string(b), "\x7f", `\u007f`)
}

// origin says where a value came from.
func (c Config) origin(key string) string {
	if from := c.From[key]; from != "" {
		return from
	}
	return "default"
}

// Origins says for every setting where its value came from.
func (c Config) Origins() map[string]string {
	out := map[string]string{}
	for _, f := range fieldsOf(configType, "", nil) {
		out[f.Key] = c.origin(f.Key)
	}
	return out
}

// Flat lists every setting by its dotted key, secrets not hidden: for comparing
// two configs, never for showing. An agent's are agent.ID.NAME, a hook's
// hook.NAME.KEY.
func (c Config) Flat() map[string]any {
	out := map[string]any{}
	v := reflect.ValueOf(c)
	for _, f := range fieldsOf(configType, "", nil) {
		at := f.of(v)
		if at.Kind() == reflect.Pointer && !at.IsNil() {
			at = at.Elem()
		}
		out[f.Key] = at.Interface()
	}
	for _, l := range lists {
		for i := range l.of(v).Len() {
			one := l.of(v).Index(i)
			name := l.fields()[0].of(one).String()
			for _, f := range l.fields() {
				if at := f.of(one); !unset(at) {
					out[l.name+"."+name+"."+f.last()] = reflect.Indirect(at).Interface()
				}
			}
		}
	}
	return out
}
