package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// Agent is what the gateway serves: the running agents behind it.
type Agent interface {
	Conversation
	Tuner
	Watching
	Inspection
	Desk
	Commands
	Archive
	Audit
}

// Conversation is talking to the agent.
type Conversation interface {
	Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End
	Stop(session string) bool
	Reset(session string) error
}

// Tuner sets what a conversation has of its own.
type Tuner interface {
	Adjust(ctx context.Context, ch runtime.Change) (runtime.Settings, error)
}

// Watching is seeing the turns that nobody's message began.
type Watching interface {
	// Watch shows the turns that wake a session until ctx or the agent ends; see
	// must not wait.
	Watch(ctx context.Context, session string, see func(event.Event))
}

// Inspection is looking at the agent.
type Inspection interface {
	// Status is that of one agent; empty is the agent main.
	Status(ctx context.Context, agent string) (runtime.Status, error)
	View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error)
	// Judge decides and does nothing; it tells how only when it is asked to explain.
	Judge(ctx context.Context, q JudgeQuery) (policy.Explanation, error)
}

// Desk is where a person answers the agent's questions and takes standing
// permissions back.
type Desk interface {
	Answer(id, answer, by string) error
	Grants() []approval.Grant
	Revoke(digest string) (approval.Grant, error)
}

// Commands are those in the background, for a person to mind without the model. Each
// belongs to one agent; empty is the agent main.
type Commands interface {
	Jobs(agent string) ([]tools.JobRecord, error)
	JobLog(q JobQuery) (tools.JobText, error)
	// EndJob ends one with everything that it started.
	EndJob(ctx context.Context, q JobQuery) (tools.JobRecord, error)
}

// Archive is what is kept of the past.
type Archive interface {
	Record(session, turn string) (session.TurnRecord, error)
	Sessions() ([]store.SessionInfo, error)
	// AuditExport writes the lines of the audit, oldest first.
	AuditExport(w io.Writer) error
}

// Audit is the record of decisions and acts.
type Audit interface {
	AuditTail(n int) ([]policy.Record, error)
	AuditShow(seq uint64) (policy.Record, error)
	AuditVerify() (store.AuditReport, error)
}

// JudgeQuery asks what policy would say of a tool call, without an effect.
type JudgeQuery struct {
	Agent    string          `json:"agent,omitempty"` // whose call; empty: the agent main
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Attended bool            `json:"attended"`
	Job      string          `json:"job,omitempty"` // as a run of this job
	Explain  bool            `json:"explain,omitempty"`
}

// JobQuery is about one command in the background.
type JobQuery struct {
	Agent string `json:"agent,omitempty"` // whose; empty: the agent main
	ID    string `json:"id"`
	// From is the first line that is wanted, counted from 1, and 0 for the last ones;
	// Lines is how many at most.
	From  int    `json:"from,omitempty"`
	Lines int    `json:"lines,omitempty"`
	By    string `json:"by,omitempty"` // the way in of a person who ends it
}

// answerBody, sessionBody, grantBody and stopped are small bodies of the wire.
type answerBody struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
	By     string `json:"by"`
}

type sessionBody struct {
	Session string `json:"session"`
}

type grantBody struct {
	Digest string `json:"digest"`
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
