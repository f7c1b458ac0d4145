package session

import (
	"bytes"
	"encoding/json"

	"hardshell/runtime/message"
)

// The JSON of arguments and schemas is kept as text, not as JSON inside JSON, so
// that no byte of it changes on the way and arguments that a model garbled can be
// kept too. Everything else of a message is stored as package message has it.

// wireMessage is a message as it is stored. Its own Calls hide the embedded ones.
type wireMessage struct {
	message.Message
	Calls []wireCall `json:"calls,omitempty"`
}

type wireCall struct {
	message.Call
	Args string `json:"args"`
}

func toWire(m message.Message) wireMessage {
	w := wireMessage{Message: m}
	for _, c := range m.Calls {
		w.Calls = append(w.Calls, wireCall{Call: c, Args: string(c.Args)})
	}
	w.Message.Calls = nil
	return w
}

func (w wireMessage) message() message.Message {
	m := w.Message
	m.Calls = nil
	for _, c := range w.Calls {
		c.Call.Args = raw(c.Args)
		m.Calls = append(m.Calls, c.Call)
	}
	return m
}

func toWires(msgs []message.Message) []wireMessage {
	out := make([]wireMessage, len(msgs))
	for i, m := range msgs {
		out[i] = toWire(m)
	}
	return out
}

// wirePrefix is a prefix as it is stored.
type wirePrefix struct {
	Prefix
	Offers []wireOffer `json:"offers"`
}

type wireOffer struct {
	message.Offer
	Schema string `json:"schema"`
}

func toWirePrefix(p Prefix) wirePrefix {
	w := wirePrefix{Prefix: p, Offers: []wireOffer{}}
	for _, o := range p.Offers {
		w.Offers = append(w.Offers, wireOffer{Offer: o, Schema: string(o.Schema)})
	}
	w.Prefix.Offers = nil
	return w
}

func (w wirePrefix) prefix() Prefix {
	p := w.Prefix
	p.Offers = nil
	for _, o := range w.Offers {
		o.Offer.Schema = raw(o.Schema)
		p.Offers = append(p.Offers, o.Offer)
	}
	return p
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// encode is JSON without the escaping that is meant for web pages: text stays
// readable in the file.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
