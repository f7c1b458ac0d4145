package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"hardshell/runtime/message"
)

// A server refuses a tool array for a model whose template has no place for one. Such
// a model reads the tools in the system text, and its answers are held to one envelope
// by format: words for the person, or one call. The system text and every message are
// a function of themselves alone, so that a conversation only grows.
//
// A model that also thinks thinks first: the server lifts format until the thinking
// has ended, then reads the prompt again with it and holds the rest to format. Where
// it can't tell that end (a parser of its own, thinking off) it never holds, and what
// comes is refused unless it is an envelope all the same.

const (
	// answersIn says what format demands, since a model does better at what it knows of.
	answersIn = "## Answers\nAnswer with one JSON object and nothing around it.\n{\"say\":\"…\"} speaks to the person."
	callsIn   = "\n{\"tool\":\"NAME\",\"args\":{…}} calls one tool of those below. Its result comes as {\"result_of\":\"NAME\",\"text\":\"…\"}; no person wrote that. One call at a time, until you can say."
	// sayShape is the alternative that is always there.
	sayShape = `{"type":"object","properties":{"say":{"type":"string"}},"required":["say"],"additionalProperties":false}`
	// sayMore is the same with at least one letter.
	sayMore  = `{"type":"object","properties":{"say":{"type":"string","minLength":1}},"required":["say"],"additionalProperties":false}`
	callHead = `{"type":"object","properties":{"tool":{"const":`
	callTail = `},"required":["tool","args"],"additionalProperties":false}`
	// anyArgs stands for a schema with references, which would point at nothing here.
	// Package tools holds every call to the whole schema.
	anyArgs = `{"type":"object"}`
)

// Enveloped reports whether the model takes no tool array, by what the server says it
// can do. Of a model that it says nothing of, the server decides.
func (i Info) Enveloped() bool { return len(i.Capabilities) > 0 && !i.Can("tools") }

// Wrap is a request as it is sent: of an Enveloped one the tools stand at the end of
// the system text and no longer in Tools, calls and results are plain messages, and
// format is the schema of an answer, and of a Held one that alone. Any other request is
// unchanged and has no format.
// The error is an *Error with code BadRequest.
func Wrap(q Request) (out Request, format json.RawMessage, err error) {
	if !q.Enveloped && !q.Held {
		return q, nil, nil
	}
	say := sayShape
	if q.Held {
		say = sayMore
	}
	list, format, err := envelopes(q.Tools, say)
	if err != nil || !q.Enveloped {
		return q, format, err
	}
	system, rest := list, q.Messages
	if len(rest) > 0 && rest[0].Role == message.System {
		system, rest = strings.TrimRight(rest[0].Text, "\n")+"\n\n"+list, rest[1:]
	}
	plain, err := Plain(rest)
	if err != nil {
		return q, nil, err
	}
	q.Messages = append([]message.Message{{Role: message.System, Text: system}}, plain...)
	q.Tools = nil
	return q, format, nil
}

// envelopes gives the tools as the system text has them, and the schema of an answer
// whose words are of the form say.
func envelopes(ts []message.Offer, say string) (list string, format json.RawMessage, err error) {
	tools, err := offers(ts)
	if err != nil {
		return "", nil, err
	}
	var text, shape bytes.Buffer
	text.WriteString(answersIn)
	shape.WriteString(`{"anyOf":[` + say)
	if len(tools) > 0 {
		text.WriteString(callsIn)
	}
	for _, t := range tools {
		line, err := json.Marshal(t.Function)
		if err != nil {
			return "", nil, badRequest(fmt.Sprintf("tool %s: %v", quoted(t.Function.Name), err), "repair the tool's schema, or take the tool out of the policy's offer")
		}
		args, err := json.Marshal(t.Function.Parameters)
		if err != nil || bytes.Contains(args, []byte(`"$ref"`)) {
			args = []byte(anyArgs)
		}
		text.WriteString("\n" + string(line))
		shape.WriteString("," + callHead + string(quote(t.Function.Name)) + `},"args":` + string(args) + callTail)
	}
	shape.WriteString("]}")
	return text.String(), shape.Bytes(), nil
}

// Plain gives messages as a model reads them that answers in envelopes: each answer as
// the envelope that it was, each result as a user's message, quoted whole so that no
// result can end its quotes. An answer of several parts, which another model gave,
// has one envelope a line. The error is an *Error with code BadRequest.
func Plain(ms []message.Message) ([]message.Message, error) {
	out := make([]message.Message, 0, len(ms))
	for _, m := range ms {
		switch m.Role {
		case message.Tool:
			m = message.Message{Role: message.User, Text: `{"result_of":` + literal(m.ToolName) + `,"text":` + literal(m.Text) + "}"}
		case message.Assistant:
			var lines []string
			if m.Text != "" || len(m.Calls) == 0 {
				lines = append(lines, `{"say":`+literal(m.Text)+"}")
			}
			for _, c := range m.Calls {
				args, err := tight(c.Args)
				if err != nil {
					return nil, badRequest(fmt.Sprintf("the arguments of %s: %v", quoted(c.Name), err), "start the session anew with /new")
				}
				lines = append(lines, `{"tool":`+literal(c.Name)+`,"args":`+args+"}")
			}
			m = message.Message{Role: message.Assistant, Text: strings.Join(lines, "\n")}
		}
		out = append(out, m)
	}
	return out, nil
}

// tight is an object of arguments without white space between its parts.
func tight(raw json.RawMessage) (string, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "{}", nil
	}
	if _, err := fields(raw); err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return "", err
	}
	return b.String(), nil
}

// literal is a text as JSON in which < and > stay as they are, so that marks of roles
// are seen and defused.
func literal(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // Encode takes every string
	}
	return strings.TrimSuffix(b.String(), "\n")
}
