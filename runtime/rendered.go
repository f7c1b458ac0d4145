package runtime

import (
	"context"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/warm"
)

// Rendered is a prompt as the model server renders it, with its whole history.
type Rendered struct {
	Text  string `json:"text,omitempty"`
	Bytes int    `json:"bytes"`
	// Payload is what system text, tool array and messages have in bytes, and
	// Template what the template adds to them: its marks, and what it writes of
	// tools and calls in another form. It is negative where the template leaves
	// something out.
	Payload  int `json:"payload_bytes"`
	Template int `json:"template_bytes"`
	// Problem says why there is no rendering.
	Problem *event.Problem `json:"error,omitempty"`
}

// placeholder stands where the person's first message will.
const placeholder = "(your message)"

// rendered has the server render a view: of a session with its history, else with
// a first message. Nothing is evaluated, so no cache changes; a model that is not
// loaded yet is loaded as a turn would.
func (a *Agent) rendered(ctx context.Context, v View, q model.Request) *Rendered {
	r, ok := a.cfg.Model.(warm.Renderer)
	if !ok || v.Model == "" {
		return &Rendered{Problem: &event.Problem{
			Code: "not_rendered", Message: "no model server shows how it renders this prompt", Hint: "agent model list tells whether one answers",
		}}
	}
	msgs := q.Messages
	if s, err := a.sessions.get(v.Session); v.Session != "" && err == nil {
		msgs = append(msgs, s.Messages()...)
	}
	if len(msgs) == 1 {
		text := placeholder
		if v.TurnContext != "" {
			text += "\n\n" + v.TurnContext
		}
		msgs = append(msgs, message.Message{Role: message.User, Text: text})
	}
	q.Messages = msgs
	sent, _, err := model.Wrap(q)
	if err != nil {
		return &Rendered{Problem: event.ProblemOf(err)}
	}
	out := &Rendered{Payload: len(v.Tools)}
	for _, m := range sent.Messages {
		out.Payload += size(m)
	}
	text, err := r.Render(ctx, q)
	if err != nil {
		return &Rendered{Problem: event.ProblemOf(err)}
	}
	out.Text, out.Bytes, out.Template = text, len(text), len(text)-out.Payload
	return out
}
