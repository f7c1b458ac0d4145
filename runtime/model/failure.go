package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"
)

// The codes of an Error.
const (
	BadHost      = "bad_host"      // the configured address can't be used
	BadRequest   = "bad_request"   // the request itself is wrong: no model, no limit
	Unreachable  = "unreachable"   // nothing answers at the address
	NotOllama    = "not_ollama"    // something answers that isn't Ollama
	ModelMissing = "model_missing" // the server doesn't have the model
	OutOfMemory  = "out_of_memory" // the model doesn't fit, or its runner died
	Overflow     = "overflow"      // the prompt is longer than the window
	Busy         = "busy"          // the server's own queue is full
	NoTools      = "no_tools"      // tools were offered to a model that takes none
	NoChat       = "no_chat"       // the model makes embeddings only
	FirstByte    = "first_byte"    // silence until the first-byte limit
	Stalled      = "stalled"       // silence in mid-stream until the idle limit
	Broken       = "broken"        // the stream ended before the answer did
	BadCall      = "bad_call"      // the model made a call that the server could not read
	Unreadable   = "unreadable"    // what arrived can't be read: a call, a line
	Offline      = "offline"       // a download was asked for and the server has no network
	Server       = "server"        // any other error that the server reported
)

// Error is a model failure that a caller or person can act on.
type Error struct {
	// Code is one of the constants above; scripts rely on the words.
	Code string
	// Message says what happened, Hint what to do next. Both are free of
	// control characters and of credentials.
	Message string
	Hint    string
	Cause   error
}

func (e *Error) Error() string { return e.Message }

// Problem is the error as the JSON surface has it.
func (e *Error) Problem() (code, message, hint string) { return e.Code, e.Message, e.Hint }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// maxQuoted bounds how much of a server's text is repeated to a person, in bytes.
const maxQuoted = 300

// quoted makes a server's text fit for one line of a terminal.
func quoted(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "?")))
	if len(s) > maxQuoted {
		s = strings.ToValidUTF8(s[:maxQuoted], "") + "…"
	}
	return s
}

// notOllama is the failure of an address where something else answers.
func (c *Client) notOllama(what string) *Error {
	return &Error{
		Code:    NotOllama,
		Message: fmt.Sprintf("%s is not an Ollama server: %s", c.addr, what),
		Hint:    "set OLLAMA_HOST to the address of Ollama (default 127.0.0.1:11434); what listens here: ss -ltnp",
	}
}

// unreachable is the failure of an address where nothing answers.
func (c *Client) unreachable(cause error, what string) *Error {
	return &Error{
		Code:    Unreachable,
		Message: fmt.Sprintf("model server %s is not reachable: %s", c.addr, what),
		Hint:    "start it with: systemctl start ollama, or: ollama serve; if it runs elsewhere, set OLLAMA_HOST",
		Cause:   cause,
	}
}

// failure gives what went wrong its code, and names the proxy where one may be the
// cause. A dead context stays what it is.
func (c *Client) failure(ctx context.Context, t *recorder, model string, err error) error {
	err = c.sorted(ctx, t, model, err)
	var e *Error
	if errors.As(err, &e) && (t.foreign || e.Code == NotOllama || e.Code == Unreachable || e.Code == Broken) {
		return c.throughProxy(e)
	}
	return err
}

// sorted gives what went wrong its code.
func (c *Client) sorted(ctx context.Context, t *recorder, model string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if t.err != nil {
		err = t.err
		if errors.As(err, &known) {
			return known
		}
	}
	if err == nil {
		return nil
	}
	var status api.StatusError
	var auth api.AuthorizationError
	switch {
	case errors.As(err, &status):
		return c.refusal(ctx, t, model, status)
	case errors.As(err, &auth):
		return &Error{
			Code: Server, Message: fmt.Sprintf("%s asks for a sign-in (HTTP 401)", c.addr),
			Hint: "use a server that needs none; hardshell keeps no credentials", Cause: err,
		}
	case t.undecoded():
		return unreadable(err)
	}
	return c.broken(t, model, err)
}

// broken sorts failures of the connection itself and errors that the server put
// into the stream.
func (c *Client) broken(t *recorder, model string, err error) error {
	var wrapped *url.Error
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case t.count == 0 && errors.As(err, &dns):
		return c.unreachable(err, "no such host "+quoted(dns.Name))
	case t.count == 0 && errors.As(err, &op) && op.Op == "dial":
		return c.unreachable(err, quoted(op.Err.Error()))
	case t.count == 0 && errors.As(err, &wrapped):
		return c.unreachable(err, quoted(wrapped.Err.Error()))
	case t.err != nil:
		return &Error{
			Code: Broken, Message: "the connection to the model server broke before the answer was complete: " + quoted(err.Error()),
			Hint: "ask again; if it happens again, look at: journalctl -u ollama", Cause: err,
		}
	}
	return reported(0, model, err.Error(), err)
}

// unreadable is a line or call that can't be decoded.
func unreadable(cause error) *Error {
	return &Error{
		Code:    Unreadable,
		Message: "the model server sent something that can't be read: " + quoted(cause.Error()),
		Hint:    "ask again; if it happens again, update Ollama or try another model (agent model list)",
		Cause:   cause,
	}
}

// refusal is an HTTP status of 400 and above.
func (c *Client) refusal(ctx context.Context, t *recorder, model string, status api.StatusError) error {
	switch code := status.StatusCode; {
	case !t.foreign:
	case code < http.StatusInternalServerError:
		return c.notOllama(fmt.Sprintf("HTTP %d without Ollama's error form", code))
	case code == http.StatusBadGateway || code == http.StatusGatewayTimeout:
		return &Error{
			Code:    Server,
			Message: fmt.Sprintf("model server %s: what stands in front of it answers HTTP %d %s", c.addr, code, http.StatusText(code)),
			Hint:    "see whether Ollama runs behind it, or set OLLAMA_HOST to its own address", Cause: status,
		}
	}
	text := status.ErrorMessage
	if isPage(text) {
		text = fmt.Sprintf("HTTP %d with %s", status.StatusCode, excerpt([]byte(text)))
	}
	if text == "" {
		text = fmt.Sprintf("HTTP %d", status.StatusCode)
	}
	if status.StatusCode == http.StatusNotFound && model != "" {
		return c.missing(ctx, model, status)
	}
	return reported(status.StatusCode, model, text, status)
}

// missing names what the server has instead of a model. It asks the server for
// its list and for nothing else: a model is never downloaded unasked.
func (c *Client) missing(ctx context.Context, model string, cause error) error {
	tags, err := c.tags(ctx)
	var e *Error
	if errors.As(err, &e) && e.Code == NotOllama {
		return e
	}
	have := "what is installed could not be read"
	if err == nil {
		have = "no model is installed"
		if len(tags) > 0 {
			names := make([]string, len(tags))
			for i, m := range tags {
				names[i] = quoted(m.Name)
			}
			have = "installed: " + strings.Join(names, ", ")
		}
	}
	return &Error{
		Code:    ModelMissing,
		Message: fmt.Sprintf("model %s is not on the server %s (%s)", quoted(model), c.addr, have),
		Hint:    fmt.Sprintf("agent model pull %s, or choose an installed one: agent model use NAME", quoted(model)),
		Cause:   cause,
	}
}

// tell is one kind of error text of Ollama's and what it means to us.
type tell struct {
	code  string
	words []string // any of them, lower case
	say   string   // with %s for the model
	hint  string
}

// tells are matched in order. The texts are Ollama's and llama.cpp's own.
var tells = []tell{
	{
		Overflow,
		[]string{"exceeds the context", "exceeds the available context", "exceed the context", "exceeds maximum context"},
		"the prompt is longer than the window of %s",
		"start anew with /new, shorten the workspace files, or raise model.num_ctx if the memory allows",
	},
	{
		OutOfMemory,
		[]string{
			"requires more system memory", "out of memory", "cudamalloc failed", "failed to allocate", "unable to allocate",
			"runner process has terminated", "runner process no longer running", "runner has unexpectedly stopped",
		},
		"%s does not fit into the memory, or its runner was ended",
		"close other programs, choose a smaller model (agent model list), or lower model.num_ctx; details: journalctl -u ollama",
	},
	{
		Busy,
		[]string{"server busy", "maximum pending requests"},
		"the model server is busy with other requests and did not take the one for %s",
		"wait a moment and ask again; other programs may be using the same server",
	},
	{
		NoTools,
		[]string{"does not support tools"},
		"%s can't call tools",
		"choose a model that can: agent model list shows them",
	},
	{
		BadCall,
		[]string{
			"parsing tool call", "parse tool call", "invalid tool call", "tool call arguments", "tool call parsing",
			"failed to parse input at pos", "does not match the expected",
		},
		"%s made a tool call that the server could not read",
		"ask again; if it happens again, try another model (agent model list)",
	},
}

// reported turns an error text of the server's into an Error.
func reported(status int, model, text string, cause error) *Error {
	low := strings.ToLower(text)
	if status == http.StatusServiceUnavailable && !strings.Contains(low, "memory") {
		low = "server busy"
	}
	if model == "" {
		model = "the model"
	}
	for _, t := range tells {
		for _, w := range t.words {
			if strings.Contains(low, w) {
				return &Error{Code: t.code, Message: fmt.Sprintf(t.say, quoted(model)) + " (" + quoted(text) + ")", Hint: t.hint, Cause: cause}
			}
		}
	}
	return &Error{
		Code: Server, Message: "the model server reported: " + quoted(text),
		Hint: "details: journalctl -u ollama, or the terminal that runs ollama serve", Cause: cause,
	}
}
