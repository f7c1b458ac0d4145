package model

import (
	"time"

	"hardshell/runtime/message"
)

// Request is one call of a model. The fields that decide how a server loads a
// model (Model, NumCtx, KeepAlive) must stay equal over a process's life, or the
// server loads the model again and its cache is gone.
type Request struct {
	Model    string
	Messages []message.Message // system message first
	Tools    []message.Offer
	// NumCtx is the window in tokens; NumPredict caps what is generated. Both
	// must be positive.
	NumCtx, NumPredict int
	Temperature        *float64
	// Think asks for native thinking: nil leaves it to the model.
	Think *bool
}

// Chunk is a piece of the stream. Phase is set (and the texts empty) while the
// server loads the model.
type Chunk struct {
	Text, Thinking string
	Phase          string
}

// Reply is what a model answered.
type Reply struct {
	// Message is the assistant's message: text, thinking, native calls. Its Cut
	// is set when the stream ended early.
	Message message.Message
	// DoneReason is the server's own word: stop, length, load.
	DoneReason string
	Usage      Usage
}

// Usage is what one request cost.
type Usage struct {
	// Prompt counts the whole prompt, cached part included; Output what was
	// generated.
	Prompt, Output int
	// Cached is the reused part of the prompt; valid only when CachedKnown.
	Cached      int
	CachedKnown bool
	// FirstToken is the wait from sending to the first piece of text, thinking
	// or call.
	FirstToken             time.Duration
	Load, PromptEval, Eval time.Duration
	Total                  time.Duration
}

// Info is what the server says of a model.
type Info struct {
	Name         string
	Family       string   // qwen3, llama, …
	Capabilities []string // tools, thinking, vision, completion
	Window       int      // context length the model was made for, in tokens; 0 unknown
	Template     string
	Size         int64 // bytes on disk
	Parameters   string
}

// Can reports whether the model has a capability.
func (i Info) Can(capability string) bool {
	for _, c := range i.Capabilities {
		if c == capability {
			return true
		}
	}
	return false
}

// Error is a model failure that a caller or person can act on.
type Error struct {
	// Code is one of unreachable, not_ollama, model_missing, out_of_memory,
	// overflow, stalled, first_byte, unreadable, server.
	Code    string
	Message string
	Hint    string
	Cause   error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Cause }
