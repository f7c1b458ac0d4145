package policy

import (
	"encoding/json"
	"reflect"
)

// Action is one thing that a tool wants to do. It holds what was asked for, not
// what the world looks like: that is Facts. Its JSON and its digest stand in records
// and approvals, so that neither ever changes for an action that is the same.
type Action struct {
	// Tool is the tool that asks: exec, read, …
	Tool string
	// Kind is what it asks for; an action without one is denied.
	Kind Kind
}

// Kind is what an action asks for: a command, a file, … Each kind is a struct with
// exported fields in a file of its own, which says all of this, so that a new one
// touches no other file of this package and can't forget a part.
type Kind interface {
	// Name is what records call it.
	Name() string
	// Subject says it on one line, whole and so that nothing can be misread; empty
	// where the tool's name says all.
	Subject() string
	// Command is the command that it starts or feeds, nil when there is none.
	Command() *Exec
	// Binds says what a person's yes to it holds on to.
	Binds() Binding
	// Standing reports whether it may be allowed for always: only what says all that
	// it will do.
	Standing() bool
	// fields is a struct of its members in the JSON of an action.
	fields() any
	// judge applies the rules to it.
	judge(ev *evaluation)
}

// Binding is what a person's yes holds on to besides the action itself.
type Binding uint8

const (
	// BindArguments: what the action names is only a place, so the arguments of the call
	// count too, such as the text to write.
	BindArguments Binding = iota
	// BindContents: the programs and files that it names count by what they hold.
	BindContents
)

// kindName is the name of the action's kind, empty when it has none.
func (a Action) kindName() string {
	if a.Kind == nil {
		return ""
	}
	return a.Kind.Name()
}

// empty is true when the action asks for nothing.
func (a Action) empty() bool {
	if a.Kind == nil {
		return true
	}
	v := reflect.ValueOf(a.Kind)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// Subject is the action as one line, for a person and the audit: whole, nothing cut
// and nothing that a terminal could take for anything but text.
func (a Action) Subject() string {
	if !a.empty() {
		if s := a.Kind.Subject(); s != "" {
			return s
		}
	}
	if a.Tool != "" {
		return a.Tool
	}
	return a.kindName()
}

// Command is the command that the action starts or feeds, nil when there is none.
func (a Action) Command() *Exec {
	if a.empty() {
		return nil
	}
	return a.Kind.Command()
}

// Binds says what a person's yes to the action holds on to.
func (a Action) Binds() Binding {
	if a.empty() {
		return BindArguments
	}
	return a.Kind.Binds()
}

// Standing reports whether the action may be allowed for always.
func (a Action) Standing() bool { return !a.empty() && a.Kind.Standing() }

// MarshalJSON writes the name of the kind, the tool and the members of the kind.
func (a Action) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(struct {
		Kind string `json:"kind"`
		Tool string `json:"tool"`
	}{a.kindName(), a.Tool})
	if err != nil || a.empty() {
		return head, err
	}
	members, err := json.Marshal(a.Kind.fields())
	if err != nil || len(members) == len("{}") {
		return head, err
	}
	return append(append(head[:len(head)-1], ','), members[1:]...), nil
}

// Digest is the text that binds an approval to exactly this action.
func (a Action) Digest() string {
	b, err := json.Marshal(a)
	if err != nil { // plain strings and numbers always marshal
		panic("policy: internal error: " + err.Error())
	}
	return digest(b)
}

// Redacted is a copy in which every text of the kind went through redact, whatever
// the kind: what a coming one holds can't be forgotten.
func (a Action) Redacted(redact func(string) string) Action {
	if !a.empty() {
		a.Kind = redacted(reflect.ValueOf(a.Kind), redact).Interface().(Kind)
	}
	return a
}

// redacted copies a value with its texts redacted. What it does not know how to look
// into is left out.
func redacted(v reflect.Value, redact func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(redact(v.String()))
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint8, reflect.Uint64, reflect.Float64:
		out.Set(v)
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(redacted(v.Elem(), redact))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(redacted(v.Index(i), redact))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(redacted(v.Field(i), redact))
			}
		}
	}
	return out
}
