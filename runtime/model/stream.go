package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"hardshell/runtime/message"
	"hardshell/tools/text"
)

// tailWait is how long the end of a body is waited for after the last line, so
// that the connection can be used again.
const tailWait = time.Second

// line is one line of a chat stream: what the api package reads of it, and what
// only its raw bytes tell.
type line struct {
	api.ChatResponse
	calls  []message.Call
	cached *int // prompt_eval_cached_count; nil when the server says nothing
}

// rawLine is the part of a line that the api package loses.
type rawLine struct {
	Model   *string         `json:"model"`
	Done    *bool           `json:"done"`
	Message json.RawMessage `json:"message"`
	Cached  *int            `json:"prompt_eval_cached_count"`
}

// rawMessage is the part of a message that the api package changes: it reads
// numbers as floats and lets the digits go.
type rawMessage struct {
	Calls []struct {
		ID       string `json:"id"`
		Function struct {
			Name string          `json:"name"`
			Args json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// readLineOf joins both readings of a line. The first line has to be a chat's.
func (c *Client) readLineOf(t *recorder, r api.ChatResponse) (line, error) {
	l := line{ChatResponse: r}
	raw := t.take()
	var outer rawLine
	if err := json.Unmarshal(raw, &outer); err != nil {
		return l, unreadable(err)
	}
	if t.count == 1 && outer.Model == nil && outer.Done == nil && outer.Message == nil {
		return l, c.notOllama("it answers " + excerpt(raw))
	}
	l.cached = outer.Cached
	if len(r.Message.ToolCalls) == 0 {
		return l, nil
	}
	var inner rawMessage
	if err := json.Unmarshal(outer.Message, &inner); err != nil {
		return l, unreadable(err)
	}
	for _, call := range inner.Calls {
		args := call.Function.Args
		if len(args) == 0 || string(args) == "null" {
			args = json.RawMessage("{}")
		}
		l.calls = append(l.calls, message.Call{ID: call.ID, Name: call.Function.Name, Args: args})
	}
	return l, nil
}

// stream sends a request and hands on its lines, within the limits. silent is
// called once when nothing has come for the time of Config.Phase.
func (c *Client) stream(ctx context.Context, r *api.ChatRequest, on func(line), silent func()) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &recorder{stream: true}
	lines, end := make(chan line), make(chan error, 1)
	go func() {
		end <- c.api.Chat(withRecorder(inner, t), r, func(resp api.ChatResponse) error {
			l, err := c.readLineOf(t, resp)
			if err != nil {
				return err
			}
			select {
			case lines <- l:
				return nil
			case <-inner.Done():
				return inner.Err()
			}
		})
	}()
	phase, first := time.NewTimer(c.cfg.Phase), time.NewTimer(c.cfg.FirstByte)
	idle := time.NewTimer(c.cfg.FirstByte + c.cfg.Idle)
	defer phase.Stop()
	defer first.Stop()
	defer idle.Stop()
	done := false
	for {
		select {
		case l := <-lines:
			phase.Stop()
			first.Stop()
			on(l)
			idle.Reset(c.cfg.Idle)
			if l.Done {
				done = true
				idle.Reset(tailWait)
			}
		case err := <-end:
			if done {
				return nil
			}
			return c.ended(ctx, t, r.Model, err)
		case <-phase.C:
			silent()
		case <-first.C:
			return c.noFirstByte(r.Model)
		case <-idle.C:
			if done {
				return nil
			}
			return c.stalled(r.Model)
		case <-ctx.Done():
			if done {
				return nil
			}
			return context.Cause(ctx)
		}
	}
}

// ended tells why a stream stopped before its last line.
func (c *Client) ended(ctx context.Context, t *recorder, model string, err error) error {
	if err := c.failure(ctx, t, model, err); err != nil {
		return err
	}
	return &Error{
		Code: Broken, Message: "the model server ended the stream before the answer was complete",
		Hint: "ask again; if it happens again, look at: journalctl -u ollama",
	}
}

// noFirstByte is the first-byte limit.
func (c *Client) noFirstByte(model string) *Error {
	return &Error{
		Code:    FirstByte,
		Message: fmt.Sprintf("%s did not begin to answer within model.first_byte_timeout = %s", quoted(model), text.Span(c.cfg.FirstByte)),
		Hint:    "a smaller model or a shorter prompt begins sooner; raise model.first_byte_timeout if the board needs longer to load the model",
	}
}

// stalled is the idle limit.
func (c *Client) stalled(model string) *Error {
	return &Error{
		Code:    Stalled,
		Message: fmt.Sprintf("%s stopped in the middle of its answer and was silent for model.idle_timeout = %s", quoted(model), text.Span(c.cfg.Idle)),
		Hint:    "the text so far is kept, marked as cut; ask again, and look at: journalctl -u ollama",
	}
}

// Chat sends a conversation and streams the reply; say gets the pieces, from one
// goroutine. Calls are not streamed: they are in the Reply, and a caller acts on
// them only when the error is nil.
//
// With an error the Reply holds what was received until then: Message.Cut is
// "stalled" when the idle limit ended it, "interrupted" when the context, the
// server or the connection did. The error is an *Error, or the cause of a dead
// context. An empty answer is no error: the message is empty and DoneReason says
// what the server said.
func (c *Client) Chat(ctx context.Context, q Request, say func(Chunk)) (Reply, error) {
	r, err := c.request(q)
	if err != nil {
		return Reply{}, err
	}
	if len(q.Messages) == 0 {
		return Reply{}, badRequest("there is no message", "ask something")
	}
	plan := c.ledger.Plan(q)
	a := &answer{say: say, began: time.Now(), split: splitter{tagged: q.Tagged}}
	if q.Enveloped || q.Held {
		a.envelope, a.lenient = new(opener), !q.Enveloped
	}
	err = c.stream(ctx, r, a.line, func() {
		phase := phaseLoading
		if c.isLoaded(q.Model) {
			phase = phaseReading
		}
		say(Chunk{Phase: phase})
	})
	wrong := a.finish(err)
	if err != nil {
		return a.reply, err
	}
	c.answered(q.Model)
	if c.ledger.Done(plan, a.reply.Usage).Truncated {
		a.reply.Truncated, a.reply.Usage.Truncated = true, true
	}
	if wrong != nil {
		return a.reply, misformed(q.Model, a.envelope.raw, wrong)
	}
	return a.reply, nil
}

// misformed is the failure of an answer that is no envelope although format demands
// one.
func misformed(model, raw string, cause error) *Error {
	return &Error{
		Code:    Unreadable,
		Message: fmt.Sprintf("the answer of %s is not in the form that it was held to, so nothing of it is done: %q", quoted(model), quoted(raw[:min(len(raw), 60)])),
		Hint:    "ask again; if it happens again, use a model that can call tools: agent model list",
		Cause:   cause,
	}
}

// answer gathers a reply from its lines.
type answer struct {
	say     func(Chunk)
	began   time.Time
	reply   Reply
	split   splitter
	native  strings.Builder // thinking that the server itself kept apart
	started bool
	// envelope is set when the content is one; whole, when it was read to its end.
	envelope *opener
	whole    bool
	// lenient takes a content that is no envelope for words.
	lenient bool
}

// line takes one line of the stream.
func (a *answer) line(l line) {
	content := l.Message.Content
	if a.envelope != nil {
		content = a.envelope.write(content)
	}
	text, think := a.split.write(content)
	a.native.WriteString(l.Message.Thinking)
	think = l.Message.Thinking + think
	a.reply.Message.Calls = append(a.reply.Message.Calls, l.calls...)
	if !a.started && (l.Message.Content != "" || l.Message.Thinking != "" || len(l.calls) > 0) {
		a.started = true
		a.reply.Usage.FirstToken = time.Since(a.began)
	}
	a.tell(text, think)
	if !l.Done {
		return
	}
	a.reply.DoneReason = l.DoneReason
	u := &a.reply.Usage
	u.Prompt, u.Output = l.PromptEvalCount, l.EvalCount
	u.Load, u.PromptEval, u.Eval, u.Total = l.LoadDuration, l.PromptEvalDuration, l.EvalDuration, l.TotalDuration
	if l.cached != nil {
		u.Cached, u.CachedKnown = *l.cached, true
	}
}

// tell hands a piece on, unless it is empty.
func (a *answer) tell(text, think string) {
	if text != "" || think != "" {
		a.say(Chunk{Text: text, Thinking: think})
	}
}

// unwrap opens the envelope. One that the limit cut has its words so far and no call;
// an empty one is an empty answer. Any other that can't be opened is the error.
func (a *answer) unwrap() error {
	if a.envelope == nil || strings.TrimSpace(a.envelope.raw) == "" {
		return nil
	}
	rest, call, err := a.envelope.open()
	switch {
	case err != nil && a.lenient && a.envelope.said == "":
		a.tell(a.split.write(a.envelope.raw))
		return nil
	case err != nil && (a.lenient || a.reply.DoneReason == "length"):
		return nil
	case err != nil:
		return err
	case call != nil:
		a.reply.Message.Calls = append(a.reply.Message.Calls, *call)
	}
	a.tell(a.split.write(rest))
	a.whole = true
	return nil
}

// finish makes the message whole, or says in its Cut why it is not. The error is an
// answer's that is no envelope.
func (a *answer) finish(err error) (wrong error) {
	if err == nil {
		wrong = a.unwrap()
	}
	a.tell(a.split.end())
	m := &a.reply.Message
	m.Role = message.Assistant
	m.Text, m.Thinking = a.split.text.String(), a.native.String()+a.split.think.String()
	var e *Error
	switch {
	case errors.As(err, &e) && e.Code == Stalled:
		m.Cut = "stalled"
	case err != nil, wrong != nil:
		m.Cut = "interrupted"
	case a.reply.DoneReason == "length" && !a.whole:
		m.Cut = "limit"
	}
	if err == nil && strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0 {
		if call, rest := rescue(m.Thinking); call != "" {
			m.Text, m.Thinking = call, rest
		}
	}
	return wrong
}

// Render gives the prompt as the model's template makes it of a request, without
// running the model. It may load the model, with the request's own options.
func (c *Client) Render(ctx context.Context, q Request) (string, error) {
	r, err := c.request(q)
	if err != nil {
		return "", err
	}
	r.DebugRenderOnly = true
	text, found := "", false
	err = c.stream(ctx, r, func(l line) {
		if l.DebugInfo != nil {
			text, found = l.DebugInfo.RenderedTemplate, true
		}
	}, func() {})
	var e *Error
	switch {
	case found:
		return text, nil
	case err != nil && !(errors.As(err, &e) && e.Code == Broken):
		return "", err
	}
	return "", &Error{
		Code: Server, Message: "the server does not show rendered prompts (_debug_render_only)",
		Hint: "Ollama 0.17 does; update it, or read the template with: ollama show --template",
	}
}
