package gateway

import (
	"context"
	"encoding/json"
	"io"

	"hardshell/policy/audit"
	"hardshell/tools/command"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

// Everything that a client can ask, each as one value for both ends. A new one is a
// method of Agents, a value here and its name in routes.
var (
	Turn  = Stream[runtime.Ask]{"turn", func(a Agents, ctx context.Context, ask runtime.Ask, see func(event.Event)) { a.Turn(ctx, ask, see) }}
	Watch = Stream[string]{"watch", Agents.Watch}

	Stop   = change("stop", Agents.Stop)
	Reset  = act("reset", Agents.Reset)
	Adjust = change("adjust", Agents.Adjust)

	Status = look("status", Agents.Status)
	View   = look("view", Agents.View)
	Judge  = look("judge", Agents.Judge)

	Answer = act("answer", Agents.Answer)
	Grants = look("grants", Agents.Grants)
	Revoke = change("revoke", Agents.Revoke)

	Processes  = look("processes", Agents.Processes)
	ProcessLog = look("processes/log", Agents.ProcessLog)
	EndProcess = change("processes/kill", Agents.EndProcess)

	Record   = look("record", Agents.Record)
	Sessions = look("sessions", Agents.Sessions)

	AuditTail   = look("audit", Agents.AuditTail)
	AuditShow   = look("audit/show", Agents.AuditShow)
	AuditVerify = look("audit/verify", Agents.AuditVerify)
	MarkSeen    = change("seen", Agents.MarkSeen)
	AuditExport = Export{"audit/export", Agents.AuditExport}
)

// routes is everything that a server answers.
func routes() []route {
	return []route{
		Turn, Watch, Stop, Reset, Adjust, Status, View, Judge, Answer, Grants, Revoke, Processes, ProcessLog, EndProcess,
		Record, Sessions, AuditTail, AuditShow, AuditVerify, MarkSeen, AuditExport,
	}
}

// Agents are what the gateway serves: the running agents behind it. Where a method takes
// the id of an agent, empty is the agent main.
type Agents interface {
	// Turn runs a turn; sink must not wait.
	Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End
	// Watch shows the turns that nobody's message began until ctx or the agent ends;
	// of every agent for "*". see must not wait.
	Watch(ctx context.Context, session string, see func(event.Event))
	// Stop ends the turn that runs in a session and reports whether there was one.
	Stop(ctx context.Context, session string) (bool, error)
	// Reset starts a session anew.
	Reset(ctx context.Context, session string) error
	// Adjust sets what a session has of its own and gives what holds now.
	Adjust(ctx context.Context, ch runtime.Change) (runtime.SessionSettings, error)

	// Status is what an agent tells of itself.
	Status(ctx context.Context, agent string) (runtime.AgentStatus, error)
	// View gives prompt and context for a person to look at.
	View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error)
	// Judge decides and does nothing; it tells how only when it is asked to explain.
	Judge(ctx context.Context, q JudgeQuery) (policy.Explanation, error)

	// Answer gives a person's word on an open question.
	Answer(ctx context.Context, word Word) error
	// Grants lists the standing permissions, oldest first.
	Grants(ctx context.Context, _ All) ([]approval.Grant, error)
	// Revoke takes one back, by its digest or the head of it.
	Revoke(ctx context.Context, digest string) (approval.Grant, error)

	// Processes lists the commands in the background of an agent, and those that have
	// ended and are still known.
	Processes(ctx context.Context, agent string) ([]command.ProcessRecord, error)
	// ProcessLog gives lines of what is kept of a command's output.
	ProcessLog(ctx context.Context, q ProcessQuery) (command.Log, error)
	// EndProcess ends a command with everything that it started.
	EndProcess(ctx context.Context, q ProcessQuery) (command.ProcessRecord, error)

	// Record is the record of a turn.
	Record(ctx context.Context, q RecordQuery) (session.TurnRecord, error)
	// Sessions lists the conversations that are stored, by name.
	Sessions(ctx context.Context, _ All) ([]store.SessionInfo, error)

	// AuditTail is the last n audit records, oldest first.
	AuditTail(ctx context.Context, n Number) ([]audit.Line, error)
	// AuditShow is one audit record.
	AuditShow(ctx context.Context, seq Number) (audit.Line, error)
	// AuditVerify checks the whole audit chain.
	AuditVerify(ctx context.Context, _ All) (store.AuditReport, error)
	// MarkSeen ends the notices of records that were set aside, and gives how many.
	MarkSeen(ctx context.Context, _ All) (int, error)
	// AuditExport writes the lines of the audit, oldest first.
	AuditExport(w io.Writer) error
}

// All is the request of a verb that has nothing to choose.
type All struct{}

// Number is a number of records, or of one: from 1 on.
type Number uint64

func (n Number) check() *event.Problem {
	if n > 0 {
		return nil
	}
	return &event.Problem{Code: "bad_request", Message: "0 is no number of records, nor the number of a record", Hint: "give a number from 1"}
}

// Word is a person's word on an open question: once, session, always or deny.
type Word struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
	By     string `json:"by"` // names the way in, for the record
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

// ProcessQuery is about one command in the background.
type ProcessQuery struct {
	Agent string `json:"agent,omitempty"` // whose; empty: the agent main
	ID    string `json:"id"`
	// From is the first line that is wanted, counted from 1, and 0 for the last ones;
	// Lines is how many at most.
	From  int    `json:"from,omitempty"`
	Lines int    `json:"lines,omitempty"`
	By    string `json:"by,omitempty"` // the way in of a person who ends it
}

// RecordQuery names a turn; an empty one or "last" is the newest.
type RecordQuery struct {
	Session string `json:"session"`
	Turn    string `json:"turn,omitempty"`
}
