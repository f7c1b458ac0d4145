package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hardshell/policy/wording"
)

// binder carries a parsed file into a Config and collects what is wrong on the
// way.
type binder struct {
	f        *file
	c        *Config
	problems []Fault
}

// bind sets every key of the file. A key that fails leaves its default.
func (b *binder) bind() {
	b.table("", b.f.values, reflect.ValueOf(b.c).Elem(), fieldsOf(configType, "", nil))
}

// table sets the keys of one table. prefix is the table's dotted name with a
// trailing dot, as it stands in the file.
func (b *binder) table(prefix string, values map[string]any, dst reflect.Value, fields []Field) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		val := values[key]
		name := prefix + key
		if l, ok := listed(key); ok && prefix == "" {
			b.tables(l, val)
			continue
		}
		if field, ok := find(fields, b.plain(name)); ok {
			if err := field.set(dst, val); err != nil {
				b.add(name, fmt.Sprintf("%s%s %s", name, b.onLine(name), err))
			} else {
				b.c.From[name] = fmt.Sprintf("line %d", b.f.places[name].line)
			}
			continue
		}
		if r, ok := retired[name]; ok {
			b.c.Warnings = append(b.c.Warnings, Warning{
				Key: name, Message: fmt.Sprintf("%s%s is no longer used: %s", name, b.onLine(name), r),
				Hint: "take the old key out of " + b.f.name,
			})
			continue
		}
		sub, isTable := val.(map[string]any)
		switch {
		case isTable && isSection(fields, b.plain(name)):
			b.table(name+".", sub, dst, fields)
		case isSection(fields, b.plain(name)):
			b.add(name, fmt.Sprintf("%s%s is a section, not a value: write [%s] and its keys below", name, b.onLine(name), name))
		default:
			b.unknown(name, key, isTable, fields)
		}
	}
}

// plain is a name of the file as the fields have it: without the number of a
// table of a list.
func (b *binder) plain(name string) string {
	top, rest, _ := strings.Cut(name, ".")
	number, rest, ok := strings.Cut(rest, ".")
	if _, isList := listed(top); isList && ok && strings.Trim(number, "0123456789") == "" {
		return top + "." + rest
	}
	return name
}

// tables sets a list of tables.
func (b *binder) tables(l list, val any) {
	items, ok := val.([]any)
	if !ok {
		b.add(l.name, fmt.Sprintf("%s%s is a list of tables: write [[%s]], once for each %s", l.name, b.onLine(l.name), l.name, l.name))
		return
	}
	for i, one := range items {
		values, ok := one.(map[string]any)
		if !ok {
			b.add(l.name, fmt.Sprintf("%s%s is a list of tables: write [[%s]], once for each %s", l.name, b.onLine(l.name), l.name, l.name))
			return
		}
		dst := l.of(reflect.ValueOf(b.c).Elem())
		dst.Set(reflect.Append(dst, reflect.Zero(l.typ)))
		b.table(indexed(l.name, i)+".", values, dst.Index(i), l.fields())
	}
}

// unknown refuses a key that nobody knows and names the one that was probably
// meant: first of the same section, then of all.
func (b *binder) unknown(name, key string, isTable bool, fields []Field) {
	what := "key"
	if isTable {
		what = "section"
	}
	text := fmt.Sprintf("unknown %s %s%s", what, name, b.onLine(name))
	section := (Field{Key: b.plain(name)}).section()
	var same, all []string
	for _, f := range fields {
		if f.section() == section {
			same = append(same, f.last())
		}
		all = append(all, f.Key)
		if s := f.section(); s != "" && section == "" && !slices.Contains(same, s) {
			same = append(same, s)
		}
	}
	meant := wording.Nearest(key, same)
	if meant == "" {
		for _, f := range fields {
			if f.last() == key {
				meant = f.Key
				break
			}
		}
	}
	if meant == "" {
		meant = wording.Nearest(b.plain(name), all)
	}
	if meant != "" {
		text += ", did you mean " + meant + "?"
	} else {
		text += ": agent config schema lists every key"
	}
	b.add(name, text)
}

func (b *binder) add(name, text string) { b.problems = append(b.problems, b.f.problem(name, text)) }

// onLine names the line of a key in words, empty when it has none.
func (b *binder) onLine(name string) string {
	if at, ok := b.f.places[name]; ok {
		return fmt.Sprintf(" on line %d", at.line)
	}
	return ""
}

// find is the field of a dotted key.
func find(fields []Field, key string) (Field, bool) {
	for _, f := range fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// isSection reports whether a name is that of a section.
func isSection(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.section() == name })
}

// indexed is the name of one table of an array.
func indexed(name string, i int) string { return name + "." + strconv.Itoa(i) }

// position is a place in words.
func position(line, column int) string { return fmt.Sprintf("line %d, column %d", line, column) }
