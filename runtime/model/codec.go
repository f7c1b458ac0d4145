package model

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"hardshell/runtime/message"
)

// ErrNotOffered is what a Fit returns for a tool that is not offered.
var ErrNotOffered = errors.New("no such tool is offered")

// Fit says whether a tool takes arguments, and gives them as the tool would see
// them. The error is ErrNotOffered for a tool that is not offered, any other for
// arguments that its schema refuses.
type Fit func(name string, args []byte) ([]byte, error)

// Recovery is what was found in a text.
type Recovery struct {
	// Found is true when the whole text is one call or several, in one of the
	// known forms. A person should not see such a text as an answer.
	Found bool
	// Calls are the calls in their order, as the model wrote them and without
	// IDs. It is empty unless at least one names an offered tool. A call in it
	// that is also in Misfits has no effect when it is passed through the door
	// of package tools: it is answered with what is wrong, so that the model
	// can mend it and every call has its result.
	Calls []message.Call
	// Unknown names the tools that are called and not offered.
	Unknown []string
	// Misfits tell which calls of offered tools have arguments that the schema
	// refuses.
	Misfits []Misfit
}

// Misfit is a call whose arguments don't fit.
type Misfit struct {
	Name string
	Err  error
}

// writtenCall is a call as a form has it. Forms without types of their own give
// several readings of the arguments; the first that fits is meant.
type writtenCall struct {
	name     string
	readings []json.RawMessage
}

// form reads a whole text as calls; ok is false when it is anything else.
type form func(text string) (calls []writtenCall, ok bool)

// forms are tried in order; they exclude each other by their first characters.
var forms = []form{taggedForm, functionForm, gemmaForm, mistralForm, fencedForm, jsonForm, pythonForm}

// Recover finds calls that a model wrote as text instead of making them. It takes
// a text only as a whole: after thinking and white space are set aside, nothing
// but calls may be left. A call within prose is an example and is left alone.
func Recover(text string, fit Fit) Recovery {
	var s splitter
	s.write(text)
	s.end()
	text = strings.TrimSpace(s.text.String())
	if text == "" && s.thought {
		call, _ := rescue(s.think.String())
		text = call
	}
	for _, f := range forms {
		if calls, ok := f(text); ok && len(calls) > 0 {
			return settle(calls, fit)
		}
	}
	return Recovery{}
}

// settle asks fit about each call.
func settle(calls []writtenCall, fit Fit) Recovery {
	r := Recovery{Found: true}
	offered := false
	for _, w := range calls {
		args, err := choose(w, fit)
		switch {
		case errors.Is(err, ErrNotOffered):
			if !slices.Contains(r.Unknown, w.name) {
				r.Unknown = append(r.Unknown, w.name)
			}
		case err != nil:
			offered = true
			r.Misfits = append(r.Misfits, Misfit{w.name, err})
		default:
			offered = true
		}
		r.Calls = append(r.Calls, message.Call{Name: w.name, Args: args})
	}
	if !offered {
		r.Calls = nil
	}
	return r
}

// choose takes the first reading that fits, else the first one with its error.
func choose(w writtenCall, fit Fit) (json.RawMessage, error) {
	var first error
	for i, args := range w.readings {
		_, err := fit(w.name, args)
		if err == nil {
			return args, nil
		}
		if i == 0 {
			first = err
		}
	}
	return w.readings[0], first
}

// envelope reads a JSON object as a call: a name and arguments, and nothing that
// a call has not. bare tells that no mark around it says "this is a call"; then
// the arguments must be there.
func envelope(raw json.RawMessage, bare bool) (writtenCall, bool) {
	fs, err := fields(raw)
	if err != nil {
		return writtenCall{}, false
	}
	var w writtenCall
	var args json.RawMessage
	for _, f := range fs {
		if !takeField(f, bare, &w.name, &args) {
			return writtenCall{}, false
		}
	}
	args, ok := object(args, bare)
	if !ok || !nameLike(w.name) {
		return writtenCall{}, false
	}
	w.readings = []json.RawMessage{args}
	return w, true
}

// takeField reads one field of a call into its name or arguments; false for a field
// that a call has not, or that says again what is known.
func takeField(f field, bare bool, name *string, args *json.RawMessage) bool {
	switch f.key {
	case "function":
		if len(f.raw) > 0 && f.raw[0] == '{' && *name == "" && *args == nil {
			inner, ok := envelope(f.raw, bare)
			if ok {
				*name, *args = inner.name, inner.readings[0]
			}
			return ok
		}
		return *name == "" && json.Unmarshal(f.raw, name) == nil
	case "name", "tool":
		return *name == "" && json.Unmarshal(f.raw, name) == nil
	case "arguments", "parameters", "args":
		again := *args != nil
		*args = f.raw
		return !again
	case "type":
		return string(f.raw) == `"function"`
	}
	return f.key == "id" || f.key == "index"
}

// object is the arguments as an object: as such, or as a text that holds one.
func object(args json.RawMessage, needed bool) (json.RawMessage, bool) {
	var text string
	if len(args) > 0 && args[0] == '"' && json.Unmarshal(args, &text) == nil {
		args = json.RawMessage(strings.TrimSpace(text))
	}
	switch {
	case len(args) == 0, string(args) == "null":
		return json.RawMessage("{}"), !needed
	case args[0] != '{' || !json.Valid(args):
		return nil, false
	}
	return args, true
}

// nameLike reports whether a text can be the name of a tool.
func nameLike(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return true
}

// nameByte reports whether a byte may be in the name of a tool.
func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
