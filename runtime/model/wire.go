package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ollama/ollama/api"

	"hardshell/runtime/message"
)

// no is sent for truncate and shift: the server shall neither cut the prompt nor
// drop half of its cache, but say that something does not fit.
var no = false

// request makes the body of a chat request. Equal requests give equal bytes:
// options are the only map, and encoding/json sorts it.
func (c *Client) request(q Request) (*api.ChatRequest, error) {
	switch {
	case q.Model == "":
		return nil, badRequest("no model is named", "set model.name, or: agent model use NAME")
	case q.NumCtx <= 0:
		return nil, badRequest(fmt.Sprintf("the window is %d tokens", q.NumCtx), "set model.num_ctx above 0")
	case q.NumPredict <= 0:
		// Zero would mean "no limit" to the server.
		return nil, badRequest(fmt.Sprintf("the reply is limited to %d tokens", q.NumPredict), "set model.num_predict above 0")
	}
	q, format, err := Wrap(q)
	if err != nil {
		return nil, err
	}
	tools, err := offers(q.Tools)
	if err != nil {
		return nil, err
	}
	msgs := make([]api.Message, 0, len(q.Messages))
	for i, m := range q.Messages {
		w, err := defuser(c.cfg.Defuse).message(m)
		if err != nil {
			return nil, badRequest(fmt.Sprintf("message %d: %v", i+1, err), "start the session anew with /new")
		}
		msgs = append(msgs, w)
	}
	stream := true
	r := &api.ChatRequest{
		Model: q.Model, Messages: msgs, Tools: tools, Format: format, Stream: &stream, Truncate: &no, Shift: &no,
		KeepAlive: &api.Duration{Duration: c.cfg.KeepAlive},
		Options:   map[string]any{"num_ctx": q.NumCtx, "num_predict": q.NumPredict},
	}
	if q.Temperature != nil {
		r.Options["temperature"] = *q.Temperature
	}
	switch q.Think {
	case "":
	case ThinkOff, ThinkOn:
		r.Think = &api.ThinkValue{Value: q.Think == ThinkOn}
	default:
		r.Think = &api.ThinkValue{Value: string(q.Think)}
	}
	return r, nil
}

// badRequest is a request that would be wrong whatever the server is.
func badRequest(why, hint string) *Error {
	return &Error{Code: BadRequest, Message: "the model request can't be sent: " + why, Hint: hint}
}

// message is a message as Ollama has it. A server reads the marks of roles as
// control tokens wherever they stand, so they are defused in what anybody wrote: a
// message ends where its template ends it. Thinking stays here: templates drop
// it anyway, and what is not sent can't break the prefix.
func (d defuser) message(m message.Message) (api.Message, error) {
	w := api.Message{Role: string(m.Role), Content: m.Text, ToolName: m.ToolName, ToolCallID: m.CallID}
	if m.Role != message.System { // which is assembled of harmless parts
		w.Content, w.ToolName = d.text(m.Text), d.text(m.ToolName)
	}
	for i, call := range m.Calls {
		args, err := d.args(call.Args)
		if err != nil {
			return w, fmt.Errorf("the arguments of %s: %w", quoted(call.Name), err)
		}
		w.ToolCalls = append(w.ToolCalls, api.ToolCall{
			ID: call.ID, Function: api.ToolCallFunction{Index: i, Name: d.text(call.Name), Arguments: args},
		})
	}
	return w, nil
}

// args keeps the order of the fields and the letters of every value, so that
// the model reads back what it wrote: 1e3 stays 1e3, and a long number keeps all
// of its digits.
func (d defuser) args(raw json.RawMessage) (api.ToolCallFunctionArguments, error) {
	args := api.NewToolCallFunctionArguments()
	if len(bytes.TrimSpace(raw)) == 0 {
		return args, nil
	}
	fs, err := fields(raw)
	if err != nil {
		return args, err
	}
	for _, f := range fs {
		v, err := d.json(f.raw)
		if err != nil {
			return args, err
		}
		args.Set(d.text(f.key), v)
	}
	return args, nil
}

// defuser takes marks of roles out of what is sent; nil leaves everything as it is.
type defuser func(text string) string

// text is a text without marks of roles.
func (d defuser) text(text string) string {
	if d == nil {
		return text
	}
	return d(text)
}

// json is a value whose texts hold no mark of a role. A value without one
// keeps its letters.
func (d defuser) json(raw json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			b.WriteByte(raw[i])
			i++
			continue
		}
		end := i + 1
		for ; end < len(raw) && raw[end] != '"'; end++ {
			if raw[end] == '\\' {
				end++
			}
		}
		literal := raw[i:min(end+1, len(raw))]
		i = end + 1
		var text string
		if err := json.Unmarshal(literal, &text); err != nil {
			return nil, err
		}
		if safe := d.text(text); safe != text {
			again, err := json.Marshal(safe)
			if err != nil {
				return nil, err
			}
			literal = again
		}
		b.Write(literal)
	}
	return b.Bytes(), nil
}

// field is one member of a JSON object.
type field struct {
	key string
	raw json.RawMessage // compact
}

// errNoObject is JSON of another kind where an object has to be.
var errNoObject = errors.New("not a JSON object")

// fields takes a JSON object apart in the order in which it is written.
func fields(raw json.RawMessage) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, errNoObject
	}
	var out []field
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		var tight bytes.Buffer
		if err := json.Compact(&tight, v); err != nil {
			return nil, err
		}
		key, _ := k.(string) // the decoder gives nothing else before a value
		out = append(out, field{key, tight.Bytes()})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more text after the object")
	}
	return out, nil
}

// ToolArray is the tool array as it is on the wire, byte for byte.
func ToolArray(ts []message.Offer) (json.RawMessage, error) {
	tools, err := offers(ts)
	if err != nil {
		return nil, err
	}
	if len(tools) == 0 {
		return json.RawMessage("[]"), nil
	}
	return json.Marshal(tools)
}
