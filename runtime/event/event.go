// Package event is the one closed set of events that terminal, console, log and
// tests read. There is no second channel: what a person sees of a turn is made
// from these values alone. It imports nothing of ours.
//
// As JSON, one event is one line; the names of kinds and fields are a contract
// that scripts rely on ("agent ask --json").
package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Kind names an event.
type Kind string

// The closed set.
const (
	TurnStart        Kind = "turn.start"
	ModelChunk       Kind = "model.chunk"
	ToolStart        Kind = "tool.start"
	ToolUpdate       Kind = "tool.update"
	ToolEnd          Kind = "tool.end"
	ApprovalAsked    Kind = "approval.asked"
	ApprovalAnswered Kind = "approval.answered"
	JobDue           Kind = "job.due"
	JobRun           Kind = "job.run"
	JobMissed        Kind = "job.missed"
	PinChanged       Kind = "pin.changed"
	PowerChanged     Kind = "power.changed"
	Warning          Kind = "warning"
	TurnEnd          Kind = "turn.end"
)

// Event is one thing that happened. Exactly the payload that belongs to its
// Kind is set.
type Event struct {
	Kind    Kind      `json:"event"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Turn    string    `json:"turn,omitempty"`

	Start    *Start    `json:"start,omitempty"`    // turn.start
	Chunk    *Chunk    `json:"chunk,omitempty"`    // model.chunk
	Tool     *Tool     `json:"tool,omitempty"`     // tool.start, tool.update, tool.end
	Approval *Approval `json:"approval,omitempty"` // approval.asked, approval.answered
	Notice   *Notice   `json:"notice,omitempty"`   // warning
	End      *End      `json:"end,omitempty"`      // turn.end
}

// Start opens a turn.
type Start struct {
	Agent string `json:"agent"`
	Run   string `json:"run"` // chat, cron, heartbeat, wake, announce
	Text  string `json:"text"`
	Model string `json:"model"`
}

// Chunk is a piece of what the model streams. A Chunk with neither Text nor
// Thinking tells a phase of the wait ("loading model").
type Chunk struct {
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	Phase    string `json:"phase,omitempty"`
}

// Tool is a tool call at its start, while it runs, or at its end.
type Tool struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
	// Text is new output (tool.update) or the result that the model gets
	// (tool.end).
	Text string `json:"text,omitempty"`
	// Outcome is one of ok, failed, refused, invalid, unknown (tool.end).
	Outcome string `json:"outcome,omitempty"`
	// Verdict and Rule are policy's word on the call: allow, ask, deny.
	Verdict string `json:"verdict,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Millis is how long the act took.
	Millis int64 `json:"ms,omitempty"`
}

// Approval is a question to a person, or its answer.
type Approval struct {
	ID      string `json:"id"`
	Agent   string `json:"agent,omitempty"` // that asks; empty: the agent main
	Tool    string `json:"tool"`
	Subject string `json:"subject"` // the exact action, as one line
	Reason  string `json:"reason,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Digest  string `json:"digest,omitempty"`
	// Standing says that the question may be answered with always.
	Standing bool      `json:"standing,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	Answer   string    `json:"answer,omitempty"` // once, session, always, deny, expired
	By       string    `json:"by,omitempty"`
}

// Notice is a warning that person and log get: something was cut, refused,
// repaired, moved or weakened.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// End closes a turn: the answer and what it cost.
type End struct {
	// Status is one of done, failed, refused, limit, interrupted, model.
	Status string `json:"status"`
	Answer string `json:"answer"`
	// Silent says that the model had nothing to say in a run that no person began:
	// Answer is empty and nothing is to be delivered.
	Silent bool `json:"silent,omitempty"`
	// Files are those that the answer attaches, as the read tool takes them. The
	// model may read each; nobody has opened them.
	Files []string `json:"files,omitempty"`
	// Error is set when Status is not done.
	Error *Problem `json:"error,omitempty"`
	Calls []Tool   `json:"calls"`
	Usage Usage    `json:"usage"`
}

// MainAgent is the agent that exists without being named.
const MainAgent = "main"

// Problem is an error as the JSON surface has it.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Errorf is a problem as an error: a message, and what to do about it.
func Errorf(code, hint, format string, args ...any) error {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Error makes a Problem an error value.
func (p *Problem) Error() string { return p.Message }

// Usage counts a turn's model work over all of its requests.
type Usage struct {
	Requests int `json:"requests"`
	// Prompt is the sum of prompt tokens of all requests as the server counts
	// them, reused ones included; Output is what was generated.
	Prompt int `json:"prompt_tokens"`
	Output int `json:"output_tokens"`
	// Reused and New split Prompt. They are nil when the server does not say:
	// unknown is not zero.
	Reused *int `json:"reused_tokens"`
	New    *int `json:"new_tokens"`
	// Predicted is what the driver's own ledger expected to be reused, in
	// tokens; an estimate.
	Predicted int `json:"predicted_reuse"`
	// FirstToken is the time from the turn's first request to the first
	// streamed token; Total the whole turn.
	FirstToken int64 `json:"first_token_ms"`
	Total      int64 `json:"total_ms"`
	Load       int64 `json:"load_ms,omitempty"`
	PromptEval int64 `json:"prompt_eval_ms,omitempty"`
	Eval       int64 `json:"eval_ms,omitempty"`
}
