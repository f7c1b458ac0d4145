package model

import (
	"fmt"
	"strings"
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
	// Think asks for native thinking.
	Think Think
	// Tagged says that the prompt asks for <think> and <final> tags, so that both
	// are taken out of the text.
	Tagged bool
	// Enveloped says that the model takes no tool array; see Wrap and
	// Info.Enveloped.
	Enveloped bool
	// Held holds this one answer to an envelope that is not empty, whatever the model
	// can do: its prompt stays the same. An answer in another form is taken as words.
	Held bool
}

// Think is how much a model with native thinking thinks. Empty leaves it to the
// server. A server takes the three levels for models of the gpt-oss kind only,
// which have no off; for all others it is on or off. See ThinkFor.
type Think string

// The values of Think.
const (
	ThinkOff    Think = "off"
	ThinkOn     Think = "on"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// ThinkFor is what to ask of a model for a level (off, low, medium, high): as
// near to it as the model can, and nothing of a model without native thinking.
func ThinkFor(i Info, level string) Think {
	switch {
	case !i.Can("thinking") || level == "":
		return ""
	case !i.ThinksInLevels() && level == string(ThinkOff):
		return ThinkOff
	case !i.ThinksInLevels():
		return ThinkOn
	case level == string(ThinkOff):
		return ThinkLow
	}
	return Think(level)
}

// phaseLoading and phaseReading are what a Chunk's Phase says while nothing has
// arrived yet: the model is not known to be loaded, or it is and reads a long
// prompt.
const (
	phaseLoading = "loading model"
	phaseReading = "reading the prompt"
)

// Chunk is a piece of the stream. Phase is set (and the texts empty) when the
// server has been silent for Config.Phase.
type Chunk struct {
	Text, Thinking string
	Phase          string
}

// Reply is what a model answered.
type Reply struct {
	// Message is the assistant's message: text, thinking, native calls. Its Cut
	// is set when the stream ended early.
	Message message.Message
	// DoneReason is the server's own word: stop, length, load. Empty when the
	// stream ended early.
	DoneReason string
	Usage      Usage
	// Truncated is true when the counts show that the server read only a part
	// of the prompt, although it was told not to cut. Nothing of such a reply
	// may be acted on.
	Truncated bool
}

// Usage is what one request cost.
type Usage struct {
	// Prompt counts the whole prompt, cached part included; Output what was
	// generated.
	Prompt, Output int
	// Cached is the reused part of the prompt; valid only when CachedKnown.
	Cached      int
	CachedKnown bool
	// Truncated says the same as Reply.Truncated, for those who keep only the
	// counts.
	Truncated bool
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
	// Renderer names a renderer built into the server, which then makes the
	// prompt in the template's place; empty: the template has the say.
	Renderer string
	Size     int64  // bytes on disk
	Digest   string // of its files
	// PerToken is the memory of a token in the cache, in bytes at 16 bits a number; 0
	// unknown.
	PerToken   int64
	Parameters string // the server's "name value" lines of model parameters
	// ParameterSize and Quantization are the server's words: 4.0B, Q4_K_M.
	ParameterSize, Quantization string
	// Remote is the host that really runs the model; empty for a local one.
	// Such a model is a cloud model under a local name.
	Remote string
}

// ThinksInLevels reports whether a server takes low, medium and high for the model,
// and writes the level at the front of its prompt.
func (i Info) ThinksInLevels() bool {
	return strings.HasPrefix(strings.ReplaceAll(i.Family, "-", ""), "gptoss")
}

// Answers refuses a model that makes embeddings only, with an *Error of code NoChat. Of
// a model of which the server tells no capabilities, its family tells it.
func Answers(i Info) error {
	embeds := i.Can("embedding") && !i.Can("completion")
	if len(i.Capabilities) == 0 {
		embeds = strings.Contains(i.Family, "bert")
	}
	if !embeds {
		return nil
	}
	return &Error{
		Code: NoChat, Message: fmt.Sprintf("%s makes embeddings only and can't answer", quoted(i.Name)),
		Hint: "choose a model that can chat: agent model list",
	}
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
