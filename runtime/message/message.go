// Package message holds the plain values of a conversation: what is said, which
// calls a model makes, which tools it is offered. It imports nothing of ours, so
// that the loop, the store and the model driver share one vocabulary.
//
// A Message is stored exactly as it is sent. Nothing in this package formats,
// trims or repairs text.
package message

import "encoding/json"

// Role says who speaks. The four values are the ones Ollama's chat API knows.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role Role `json:"role"`
	// Text is what is sent to the model, byte for byte.
	Text string `json:"text,omitempty"`
	// Thinking is the model's reasoning. It is kept for the record and never
	// sent back.
	Thinking string `json:"thinking,omitempty"`
	// Calls are the tool calls of an assistant message, in the model's order.
	Calls []Call `json:"calls,omitempty"`
	// CallID and ToolName tie a tool result to its call.
	CallID   string `json:"call_id,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
	// Cut says why an assistant text is incomplete ("stalled", "interrupted",
	// "limit"); empty when it is whole.
	Cut string `json:"cut,omitempty"`
}

// Call is one tool call as the model made it.
type Call struct {
	// ID is unique within a session. The driver makes one when the server sends
	// none.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Args is the JSON object of arguments, as received.
	Args json.RawMessage `json:"args"`
}

// Offer is a tool as it is offered to a model: the bytes of the tool array.
type Offer struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Schema is the JSON Schema of the arguments, an object.
	Schema json.RawMessage `json:"schema"`
}
