package config

import (
	"reflect"
	"strings"
)

// Field is one setting as the struct tags describe it.
type Field struct {
	// Key is the dotted name, such as model.num_ctx; a key of an [[agent]] is
	// agent.id and the like.
	Key string
	// Doc says what the setting means.
	Doc string
	// Env and Flag name the environment variable and the flag that win over the
	// file; empty when there is none.
	Env, Flag string
	// Min and Max bound the value, written as in the file; empty: no bound.
	Min, Max string
	// Enum lists the only values, when there are only a few.
	Enum []string
	// Secret values are never shown.
	Secret bool
	// Guarded settings are changed in the operator's own editor only.
	Guarded bool

	over    string // of an [[agent]]: the key whose value it replaces
	forever bool
	index   []int // where the value stands within its struct
	typ     reflect.Type
}

var (
	configType   = reflect.TypeFor[Config]()
	agentType    = reflect.TypeFor[Agent]()
	hookType     = reflect.TypeFor[Hook]()
	durationType = reflect.TypeFor[Duration]()
	sizeType     = reflect.TypeFor[ByteSize]()
	namesType    = reflect.TypeFor[Names]()
)

// list is an array of tables of the file: [[agent]] and the like.
type list struct {
	name  string       // as the file has it
	field string       // of Config
	typ   reflect.Type // of one table
	doc   string
	needs []string // keys that each table must have
}

// lists are all of them, in the order of the reference page.
var lists = []list{
	{"agent", "Agents", agentType, "one agent of several in one daemon", []string{"id"}},
	{"hook", "Hooks", hookType, "a program of the operator that adds to the prompt", []string{"name", "on", "command"}},
}

// fields are the settings of one table of the list.
func (l list) fields() []Field { return fieldsOf(l.typ, l.name+".", nil) }

// of is the list in a Config.
func (l list) of(c reflect.Value) reflect.Value { return c.FieldByName(l.field) }

// listed finds the list of a name.
func listed(name string) (list, bool) {
	for _, l := range lists {
		if l.name == name {
			return l, true
		}
	}
	return list{}, false
}

// Fields lists every setting in the order of the reference page, the keys of an
// [[agent]] and of a [[hook]] last.
func Fields() []Field {
	out := fieldsOf(configType, "", nil)
	for _, l := range lists {
		out = append(out, l.fields()...)
	}
	return out
}

// fieldsOf walks one struct. Lists of tables are left to their own.
func fieldsOf(t reflect.Type, prefix string, index []int) []Field {
	var out []Field
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("toml")
		at := append(append([]int{}, index...), i)
		_, isList := listedType(f.Type)
		switch {
		case key == "-" || isList:
		case f.Type.Kind() == reflect.Struct:
			out = append(out, fieldsOf(f.Type, prefix+key+".", at)...)
		default:
			out = append(out, fieldOf(f, prefix+key, at))
		}
	}
	return out
}

// listedType finds the list of a slice type.
func listedType(t reflect.Type) (list, bool) {
	for _, l := range lists {
		if t == reflect.SliceOf(l.typ) {
			return l, true
		}
	}
	return list{}, false
}

// fieldOf reads the tags of one setting. One that replaces another has its bounds.
func fieldOf(f reflect.StructField, key string, index []int) Field {
	one := Field{
		Key: key, Doc: f.Tag.Get("doc"), Env: f.Tag.Get("env"), Flag: f.Tag.Get("flag"),
		Min: f.Tag.Get("min"), Max: f.Tag.Get("max"), Secret: f.Tag.Get("secret") != "", Guarded: f.Tag.Get("guard") != "",
		over: f.Tag.Get("over"), forever: f.Tag.Get("forever") != "", index: index, typ: f.Type,
	}
	if e := f.Tag.Get("enum"); e != "" {
		one.Enum = strings.Split(e, ",")
	}
	if one.over != "" {
		above, ok := find(fieldsOf(configType, "", nil), one.over)
		if !ok {
			panic("config: internal error: " + key + " replaces " + one.over + ", which is no setting")
		}
		one.Min, one.Max, one.Enum = above.Min, above.Max, above.Enum
	}
	return one
}

// section is the part of the key before the last dot.
func (f Field) section() string {
	i := strings.LastIndexByte(f.Key, '.')
	if i < 0 {
		return ""
	}
	return f.Key[:i]
}

// last is the last part of the key.
func (f Field) last() string { return f.Key[strings.LastIndexByte(f.Key, '.')+1:] }

// inWords says in words what a value looks like, with its article.
func (f Field) inWords() string {
	switch {
	case f.typ == durationType:
		return "a time span"
	case f.typ == sizeType:
		return "an amount of data"
	case f.typ == namesType:
		return "a table of names"
	}
	switch f.kind() {
	case reflect.Slice:
		return "a list of strings"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a string"
}

// of is the settable place of the field in a Config (or an Agent).
func (f Field) of(v reflect.Value) reflect.Value { return v.FieldByIndex(f.index) }

// kind is the kind of the value, behind a pointer where unset is one of its own.
func (f Field) kind() reflect.Kind {
	if f.typ.Kind() == reflect.Pointer {
		return f.typ.Elem().Kind()
	}
	return f.typ.Kind()
}

// unset reports whether a value that need not be there is not: an empty text, a
// pointer to nothing, no list at all.
func unset(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Pointer, reflect.Slice:
		return v.IsZero()
	}
	return false
}
