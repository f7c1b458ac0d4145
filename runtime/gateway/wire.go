package gateway

import (
	"context"
	"encoding/json"
	"net/http"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

// Agent is what the gateway serves: the living agent behind it.
type Agent interface {
	Conversation
	Inspection
	Control
}

// Conversation is talking to the agent.
type Conversation interface {
	Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End
	Stop(session string) bool
	Reset(session string) error
}

// Inspection is looking at the agent.
type Inspection interface {
	Status(ctx context.Context) runtime.Status
	View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error)
	Judge(ctx context.Context, q JudgeQuery) (policy.Decision, error)
	Record(session, turn string) (session.TurnRecord, error)
}

// Control is answering the agent and reading its record.
type Control interface {
	Answer(id, answer, by string) error
	AuditTail(n int) ([]policy.Record, error)
	AuditVerify() (store.AuditReport, error)
}

// JudgeQuery asks what policy would say of a tool call, without an effect.
type JudgeQuery struct {
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Attended bool            `json:"attended"`
}

// answerBody, sessionBody and stopped are small bodies of the wire.
type answerBody struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
	By     string `json:"by"`
}

type sessionBody struct {
	Session string `json:"session"`
}

type stopped struct {
	Stopped bool `json:"stopped"`
}

// errorBody is how every error crosses the wire.
type errorBody struct {
	Error event.Problem `json:"error"`
}

// write sends one JSON object.
func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// The client is gone when this fails; there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(v)
}
