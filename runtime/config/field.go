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

	forever bool
	index   []int // where the value stands within its struct
	typ     reflect.Type
}

var (
	configType   = reflect.TypeFor[Config]()
	agentType    = reflect.TypeFor[Agent]()
	durationType = reflect.TypeFor[Duration]()
	sizeType     = reflect.TypeFor[ByteSize]()
)

// Fields lists every setting in the order of the reference page, the keys of an
// [[agent]] last.
func Fields() []Field {
	return append(fieldsOf(configType, "", nil), fieldsOf(agentType, "agent.", nil)...)
}

// fieldsOf walks one struct. The list of agents is left to its own table.
func fieldsOf(t reflect.Type, prefix string, index []int) []Field {
	var out []Field
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("toml")
		at := append(append([]int{}, index...), i)
		switch {
		case key == "-" || f.Type == reflect.SliceOf(agentType):
		case f.Type.Kind() == reflect.Struct:
			out = append(out, fieldsOf(f.Type, prefix+key+".", at)...)
		default:
			one := Field{
				Key: prefix + key, Doc: f.Tag.Get("doc"), Env: f.Tag.Get("env"), Flag: f.Tag.Get("flag"),
				Min: f.Tag.Get("min"), Max: f.Tag.Get("max"), Secret: f.Tag.Get("secret") != "",
				forever: f.Tag.Get("forever") != "", index: at, typ: f.Type,
			}
			if e := f.Tag.Get("enum"); e != "" {
				one.Enum = strings.Split(e, ",")
			}
			out = append(out, one)
		}
	}
	return out
}

// Section is the part of the key before the last dot.
func (f Field) Section() string {
	i := strings.LastIndexByte(f.Key, '.')
	if i < 0 {
		return ""
	}
	return f.Key[:i]
}

// Name is the last part of the key.
func (f Field) Name() string { return f.Key[strings.LastIndexByte(f.Key, '.')+1:] }

// Kind says in words what a value looks like, with its article.
func (f Field) Kind() string {
	switch {
	case f.typ == durationType:
		return "a time span"
	case f.typ == sizeType:
		return "an amount of data"
	case f.typ.Kind() == reflect.Slice:
		return "a list of strings"
	case f.typ.Kind() == reflect.Bool:
		return "true or false"
	case f.typ.Kind() == reflect.Int:
		return "a whole number"
	case f.typ.Kind() == reflect.Float64 || f.typ.Kind() == reflect.Pointer:
		return "a number"
	}
	return "a string"
}

// of is the settable place of the field in a Config (or an Agent).
func (f Field) of(v reflect.Value) reflect.Value { return v.FieldByIndex(f.index) }
