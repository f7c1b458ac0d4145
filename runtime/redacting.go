package runtime

import (
	"context"
	"errors"
	"slices"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/warm"
	"hardshell/tools/args"
	"hardshell/tools/secret"
)

// redacting is a model that is told no secret value and tells none: what a person
// typed, what stands in a file of the prompt or in an old record, and what a model
// makes up are masked alike. So nothing behind it has a value to store or to show,
// and no call of a model carries one.
type redacting struct {
	model    Model
	redactor *secret.Redactor
}

// Chat masks the request, each piece of the reply however it is cut, the reply, and
// what a server says of its failure.
func (d redacting) Chat(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
	q.Messages = d.messages(q.Messages)
	text, thinking := d.redactor.Stream(), d.redactor.Stream()
	rep, err := d.model.Chat(ctx, q, func(c model.Chunk) {
		// A value does not go on behind a change from thinking to answering.
		var last string
		if c.Text != "" {
			last = thinking.End()
		}
		c.Text, c.Thinking = text.Write(c.Text), last+thinking.Write(c.Thinking)
		if c != (model.Chunk{}) {
			chunk(c)
		}
	})
	if c := (model.Chunk{Text: text.End(), Thinking: thinking.End()}); c != (model.Chunk{}) {
		chunk(c)
	}
	rep.Message = d.message(rep.Message)
	var fault *model.Error
	if errors.As(err, &fault) {
		quiet := *fault
		quiet.Message = d.redactor.Redact(quiet.Message) // a server may repeat what it was told
		err = &quiet
	}
	return rep, err
}

// messages gives messages without secret values.
func (d redacting) messages(in []message.Message) []message.Message {
	out := slices.Clone(in)
	for i := range out {
		out[i] = d.message(out[i])
	}
	return out
}

// redactingRenderer is a redacting model that shows its renderings.
type redactingRenderer struct {
	redacting
	renderer warm.Renderer
}

// Render masks what is rendered.
func (d redactingRenderer) Render(ctx context.Context, q model.Request) (string, error) {
	q.Messages = d.messages(q.Messages)
	return d.renderer.Render(ctx, q)
}

// message gives a message without secret values.
func (d redacting) message(m message.Message) message.Message {
	m.Text, m.Thinking = d.redactor.Redact(m.Text), d.redactor.Redact(m.Thinking)
	m.Calls = slices.Clone(m.Calls)
	for i, c := range m.Calls {
		m.Calls[i].Name, m.Calls[i].Args = d.redactor.Redact(c.Name), args.Redact(d.redactor, c.Args)
	}
	return m
}

// redacted wraps the model.
func (c *Config) redacted() {
	if c.Model != nil {
		quiet := redacting{model: c.Model, redactor: c.Redactor}
		if r, ok := c.Model.(warm.Renderer); ok {
			c.Model = redactingRenderer{redacting: quiet, renderer: r}
		} else {
			c.Model = quiet
		}
	}
}
