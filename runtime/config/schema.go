package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of the config file, made from the struct tags: what
// an editor needs to complete and check config.toml.
func Schema() *jsonschema.Schema {
	root := object("Settings of hardshell, config.toml. Environment and flags win over the file. A guarded key is changed by the operator alone.")
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "hardshell config"
	defaults := reflect.ValueOf(Default())
	for _, f := range fieldsOf(configType, "", nil) {
		s := root
		if name := f.section(); name != "" {
			if root.Properties[name] == nil {
				root.Properties[name] = object("")
				root.PropertyOrder = append(root.PropertyOrder, name)
			}
			s = root.Properties[name]
		}
		s.Properties[f.last()] = f.schema(f.of(defaults))
		s.PropertyOrder = append(s.PropertyOrder, f.last())
	}
	for _, l := range lists {
		item := object(l.doc)
		for _, f := range l.fields() {
			item.Properties[f.last()] = f.schema(reflect.Zero(f.typ))
			item.PropertyOrder = append(item.PropertyOrder, f.last())
		}
		item.Required = l.needs
		root.Properties[l.name] = &jsonschema.Schema{Type: "array", Items: item}
		root.PropertyOrder = append(root.PropertyOrder, l.name)
	}
	return root
}

// object is a closed object without properties.
func object(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: doc, Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// schema is the schema of one value.
func (f Field) schema(def reflect.Value) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: f.describe()}
	switch f.inWords() {
	case "a whole number":
		s.Type = "integer"
		s.Minimum, s.Maximum = f.limits()
	case "a number":
		s.Type = "number"
		s.Minimum, s.Maximum = f.limits()
	case "true or false":
		s.Type = "boolean"
	case "a list of strings":
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
	case "a table of names":
		s.Type, s.AdditionalProperties = "object", &jsonschema.Schema{Type: "string"}
	case "an amount of data":
		s.Types = []string{"string", "integer"}
	default:
		s.Type = "string"
	}
	for _, e := range f.Enum {
		s.Enum = append(s.Enum, e)
	}
	if f.shown(def) == nil {
		return s
	}
	b, err := json.Marshal(def.Interface())
	if err != nil { // defaults are plain values
		panic("config: internal error: default of " + f.Key + ": " + err.Error())
	}
	s.Default = b
	return s
}

// describe is the explanation with range and other ways to set the value.
func (f Field) describe() string {
	parts := []string{f.Doc}
	if f.Min != "" {
		parts = append(parts, fmt.Sprintf("%s to %s", f.Min, f.Max))
	}
	if f.Env != "" {
		parts = append(parts, "environment "+f.Env)
	}
	if f.Flag != "" {
		parts = append(parts, "flag --"+f.Flag)
	}
	if f.Guarded {
		parts = append(parts, "guarded")
	}
	return strings.Join(parts, "; ")
}

// limits are the bounds of a number.
func (f Field) limits() (low, high *float64) {
	if f.Min != "" {
		x := f.bound(f.Min)
		low = &x
	}
	if f.Max != "" {
		x := f.bound(f.Max)
		high = &x
	}
	return low, high
}
