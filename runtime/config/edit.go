package config

import (
	"bytes"
	"fmt"
	"strings"
)

// SetString sets one key of a config file to a text and leaves everything else,
// comments too, as it is. src may be empty or nil for a file that does not exist.
// What comes out is a config that Load takes, or an error. A guarded key is refused.
func SetString(name string, src []byte, key, val string) ([]byte, error) {
	if field, ok := find(fieldsOf(configType, "", nil), key); ok && field.Guarded {
		return nil, fmt.Errorf("%s decides what the agent may do, so only you change it: set it in your editor", key)
	}
	return SetByPerson(name, src, key, val)
}

// SetByPerson is SetString for what a person wrote on a command line: guarded keys too.
func SetByPerson(name string, src []byte, key, val string) ([]byte, error) {
	field, ok := find(fieldsOf(configType, "", nil), key)
	if !ok || field.inWords() != "a string" {
		return nil, fmt.Errorf("there is no text setting %s: agent config schema lists every key", key)
	}
	if len(src) == 0 {
		src = []byte("# Settings of hardshell; agent config schema explains every key.\n")
	}
	f, bad := parse(name, src)
	if bad != nil {
		return nil, bad
	}
	line := field.last() + " = " + quote(val)
	lines := strings.SplitAfter(string(f.src), "\n")
	at, there := f.places[key]
	section, open := f.places[field.section()]
	switch {
	case there && simple(at, field.last()):
		lines[at.line-1] = line + comment(at.source) + ending(lines[at.line-1])
	case there:
		return nil, fmt.Errorf("%s on line %d of %s is written in a form that can't be changed by itself: write %s in your editor", key, at.line, name, line)
	case field.section() == "":
		lines = append([]string{line + "\n"}, lines...)
	case open && strings.HasPrefix(strings.TrimSpace(section.source), "["+field.section()+"]"):
		lines[section.line-1] = strings.TrimRight(lines[section.line-1], "\r\n") + "\n" + line + "\n"
	case open:
		return nil, fmt.Errorf("%s on line %d of %s is written in a form that can't be changed by itself: write %s in your editor", field.section(), section.line, name, line)
	default:
		if n := len(lines); lines[n-1] != "" {
			lines[n-1] += "\n"
		}
		lines = append(lines, fmt.Sprintf("\n[%s]\n%s\n", field.section(), line))
	}
	out := []byte(strings.Join(lines, ""))
	if bytes.HasPrefix(src, bom) {
		out = append(append([]byte{}, bom...), out...)
	}
	return out, f.same(name, out, key, val)
}

// simple reports whether a key stands alone on its line, as name = "value" with
// a one-line value.
func simple(at place, name string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(at.source), name)
	rest, eq := strings.CutPrefix(strings.TrimSpace(rest), "=")
	rest = strings.TrimSpace(rest)
	return ok && eq && rest != "" && !strings.HasPrefix(rest, `"""`) && !strings.HasPrefix(rest, "'''")
}

// comment is the comment behind a text value, with the space before it.
func comment(source string) string {
	_, val, _ := strings.Cut(source, "=")
	val = strings.TrimLeft(val, " \t")
	if val == "" {
		return ""
	}
	quote := val[0]
	for i := 1; i < len(val); i++ {
		switch {
		case val[i] == '\\' && quote == '"':
			i++
		case val[i] == quote:
			if j := strings.IndexByte(val[i+1:], '#'); j >= 0 {
				return val[i+1:]
			}
			return ""
		}
	}
	return ""
}

// ending is the line end of a line.
func ending(line string) string {
	return line[len(strings.TrimRight(line, "\r\n")):]
}

// same checks that an edited file differs from this one in one key only.
func (f *file) same(name string, edited []byte, key, val string) error {
	g, bad := parse(name, edited)
	if bad != nil {
		return bad
	}
	if got := fmt.Sprint(f.with(key, val)); got != fmt.Sprint(g.values) {
		return fmt.Errorf("%s of %s can't be changed by itself: set it in your editor", key, name)
	}
	return nil
}

// with is the document of a file with one key set.
func (f *file) with(key, val string) map[string]any {
	section, name, nested := strings.Cut(key, ".")
	if !nested {
		f.values[key] = val
		return f.values
	}
	table, ok := f.values[section].(map[string]any)
	if !ok {
		table = map[string]any{}
		f.values[section] = table
	}
	table[name] = val
	return f.values
}
