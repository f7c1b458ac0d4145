package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"hardshell/policy"
	"hardshell/policy/audit"
)

// Spec is how a tool is offered: its bytes in the tool array and its line in the
// prompt's Tooling section.
type Spec struct {
	Name string
	// Description goes into the tool array; Guide, one behaviour line, into the
	// system text. Neither carries a run-time fact.
	Description, Guide string
	// Schema is the JSON Schema of the arguments, generated from the argument
	// struct and pinned by a golden file.
	Schema json.RawMessage
}

// Tool is one ability. Prepare turns checked arguments into what policy has to
// judge and what is to be done; it has no effect of its own.
type Tool interface {
	Spec() Spec
	Prepare(ctx context.Context, from Origin, args json.RawMessage) (Prepared, error)
}

// Prepared is a call that is ready to be judged. Do is called at most once, and only
// after policy or a person allowed Action.
type Prepared struct {
	Action policy.Action
	// Facts is what the tool looked up in the world for this action. The
	// registry fills in time, origin and roots, and the programs and paths that
	// policy asks for and the tool did not look up itself.
	Facts policy.Facts
	// Do acts on what policy judged.
	Do func(ctx context.Context, judged Judged, say func(text string)) (Output, error)
	// Close, if set, frees what Prepare holds, whether it was acted on or not.
	Close func()
}

// Judged is what an act may rely on: the facts that policy saw, and what it granted
// besides.
type Judged struct {
	Facts  policy.Facts
	Grants policy.Grants
	// Unreadable reports a path whose contents policy keeps from everything, nil
	// when policy keeps none.
	Unreadable func(abs string) bool
	// Start judges a program that the act's command starts by itself; an error says
	// why it may not.
	Start func(Start) error
}

// keeper is a policy that keeps paths secret wherever they lie.
type keeper interface {
	Unreadable(f policy.Facts, abs string) bool
}

// Refusal is a call that is refused before policy is asked, because what it wants
// can't even be named safely. The registry treats it as a denial: on record, final.
type Refusal struct{ Rule, Reason, Hint string }

func (e *Refusal) Error() string { return e.Reason }

// Call is one tool call as a model, a job or a person made it.
type Call struct {
	ID, Name string
	// Args is the JSON object of arguments, as received.
	Args json.RawMessage
}

// Output is what an act gave.
type Output struct {
	// Text is what the model reads, already cleaned and within the limits. It
	// holds nothing that differs between two equal acts, so that a loop shows.
	Text string
	// Failed is true when the act ran and did not succeed (exit status, no such
	// file); the text says how.
	Failed bool
	// Cut says what was left out and by which limit; empty when nothing was.
	Cut string
	// Layers names the confinement that applied to a command, Starts what it started
	// by itself and was kept from starting.
	Layers, Starts []string
	// Waited is true when the act waited for news in vain, so that looking again is
	// no loop.
	Waited bool
}

// Origin says on whose behalf a call is made.
type Origin struct {
	Agent, Session, Turn string
	Run                  string // chat, cron, heartbeat, wake, announce, sub, hook
	Job                  string // id of the job whose run this is; empty outside of jobs
	Attended             bool
	// Only names the tools that may be used at all, besides what policy says; nil
	// narrows nothing, an empty list lets nothing through.
	Only []string
}

// lets reports whether a call of this origin may use a tool at all.
func (o Origin) lets(tool string) bool { return o.Only == nil || slices.Contains(o.Only, tool) }

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"  // the act ran and did not succeed
	Refused Outcome = "refused" // policy or a person said no; nothing happened
	Invalid Outcome = "invalid" // the arguments don't fit the schema; nothing happened
	Unknown Outcome = "unknown" // no such tool; nothing happened
)

// Result is what every call gives, whatever happened.
type Result struct {
	Outcome  Outcome
	Text     string // what the model reads
	Decision policy.Decision
	Approval string // id of the question, when one was asked
	Cut      string
	Layers   []string
	Starts   []string
	// Repaired says what was changed in the arguments so that they fit.
	Repaired []string
	// Waited is true when the act waited for news in vain, so that the same call
	// with the same result is no loop.
	Waited bool
	Took   time.Duration
}

// Answer is a person's word on a question.
type Answer string

// The answers. Anything else counts as AnswerDeny.
const (
	AnswerOnce    Answer = "once"
	AnswerSession Answer = "session"
	AnswerAlways  Answer = "always" // a standing permission for exactly this action
	AnswerDeny    Answer = "deny"
	AnswerExpired Answer = "expired"
)

// Question is what a person is asked: exactly one action.
type Question struct {
	ID       string // "a1", "a2", …; the audit names the question by it
	Origin   Origin
	Action   policy.Action // secrets redacted
	Decision policy.Decision
	Deadline time.Time
	// Bound is the digest of the action together with the programs and files that it
	// names, as they are now; empty stands for the action's own.
	Bound string
}

// Digest is what an answer binds, and how far one for the session or for always
// reaches.
func (q Question) Digest() string {
	if q.Bound != "" {
		return q.Bound
	}
	return q.Action.Digest()
}

// Approver puts a question to a person and waits for the answer. It remembers
// answers for the session by digest. An error counts as a denial.
type Approver interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Auditor keeps one record for each decision and act. An error means that the
// record could not be kept: the registry then refuses to act.
type Auditor interface {
	Record(ctx context.Context, r audit.Line) error
}

// Policy judges. *policy.Policy is one.
type Policy interface {
	Decide(a policy.Action, f policy.Facts) policy.Decision
	// Try decides as far as the facts reach and names what is missing; the decision
	// counts only when that is nothing.
	Try(a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects)
	// Offers reports whether the policy's tool list lets a tool be offered.
	Offers(tool string) bool
}
