// Package approval is the broker of questions to a person: they are carried to
// whoever watches the turn, at any terminal, and what the person allowed is kept as
// far as it reaches.
//
// It owns questions, answers and standing permissions. It refuses to decide: the
// policy says what is asked at all, and a grant turns an Ask into an Allow, never a
// Deny into anything.
//
// Invariants: an answer binds the digest of exactly one action of one agent; without
// a person nothing is allowed; a permission for always is on disk before it counts.
package approval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hardshell/runtime/event"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// Broker holds the questions that are open now and carries them to whoever
// watches the turn, at any terminal. An answer binds the digest of exactly one
// action. What a person allowed for the session is remembered by that digest and
// forgotten with the process; what a person allowed for always is a grant in the
// ledger, which anybody at the terminal can list and revoke.
type Broker struct {
	now    func() time.Time
	ledger Ledger

	mu      sync.Mutex
	next    int
	open    map[string]*question
	expired map[string]bool // questions of an earlier process
	granted map[string]bool // session + digest
	always  map[string]Grant
	denied  map[string]bool // turn + digest: a denial is final for its turn
	viewers map[string]func(event.Event)
}

// mostGranted is how many answers for a session are remembered; then all are
// forgotten, and whatever comes up again is asked anew.
const mostGranted = 1000

// Ledger keeps questions and grants over restarts. *store.Values is one.
type Ledger interface {
	Put(namespace, key string, version int, v any) error
	List(namespace string) ([]store.Value, error)
	Delete(namespace, key string) error
}

// The namespaces of the ledger, and the version of what is in them.
const (
	nsQuestions = "questions" // open ones, by id
	nsGrants    = "grants"    // by digest
	nsCounter   = "question-counter"
	approvalFmt = 1
)

// Grant is a standing permission: this exact action needs no question any more.
// It turns one Ask into an Allow and never touches a Deny.
type Grant struct {
	Agent   string    `json:"agent,omitempty"` // empty: the agent main
	Digest  string    `json:"digest"`
	Tool    string    `json:"tool"`
	Subject string    `json:"subject"`
	Given   time.Time `json:"given"`
	By      string    `json:"by"`
}

// question is one open question.
type question struct {
	asked  event.Approval
	answer chan event.Approval
}

// Open opens the broker. Questions that an earlier process left open have
// expired: whoever answers one is told to ask again.
func Open(now func() time.Time, l Ledger) (*Broker, error) {
	d := &Broker{
		now: now, ledger: l, open: map[string]*question{}, expired: map[string]bool{}, granted: map[string]bool{},
		always: map[string]Grant{}, denied: map[string]bool{}, viewers: map[string]func(event.Event){},
	}
	left, err := l.List(nsQuestions)
	if err != nil {
		return nil, fmt.Errorf("read the open questions: %w", err)
	}
	for _, v := range left {
		d.expired[v.Key] = true
		if err := l.Delete(nsQuestions, v.Key); err != nil {
			return nil, fmt.Errorf("close question %s: %w", v.Key, err)
		}
	}
	grants, err := l.List(nsGrants)
	if err != nil {
		return nil, fmt.Errorf("read the grants: %w", err)
	}
	for _, v := range grants {
		var g Grant
		// A grant that can't be read, or that is filed under another action, grants
		// nothing.
		if v.Version == approvalFmt && json.Unmarshal(v.Data, &g) == nil && g.Digest == v.Key {
			d.always[g.Digest] = g
		}
	}
	counter, err := l.List(nsCounter)
	if err != nil {
		return nil, fmt.Errorf("read the number of the last question: %w", err)
	}
	for _, v := range counter {
		if err := json.Unmarshal(v.Data, &d.next); err != nil {
			return nil, fmt.Errorf("read the number of the last question: %w", err)
		}
	}
	return d, nil
}

var _ tools.Approver = (*Broker)(nil)

// Join makes a turn's events the place where its questions appear; Leave ends
// that and forgets the turn's denials.
func (d *Broker) Join(turn string, emit func(event.Event)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.viewers[turn] = emit
}

// Leave ends what Join began.
func (d *Broker) Leave(turn string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.viewers, turn)
	for k := range d.denied {
		if strings.HasPrefix(k, turn+"\n") {
			delete(d.denied, k)
		}
	}
}

// NextID gives the id of the next question, never one that was used before.
func (d *Broker) NextID() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ledger.Put(nsCounter, "last", approvalFmt, d.next+1); err != nil {
		return "", fmt.Errorf("number the question: %w", err)
	}
	d.next++
	return "a" + strconv.Itoa(d.next), nil
}

// Ask puts a question to a person and waits for the answer, the deadline or the
// end of the turn. Without a person it denies at once.
func (d *Broker) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	digest := boundTo(q.Origin.Agent, q.Digest())
	session, turn := q.Origin.Session+"\n"+digest, turnKey(q.Origin)+"\n"+digest
	if answer, known := d.known(q, digest, session, turn); known {
		return answer, nil
	}
	ask := &question{answer: make(chan event.Approval, 1), asked: event.Approval{
		ID: q.ID, Agent: otherThanMain(q.Origin.Agent), Tool: q.Action.Tool, Subject: q.Action.Subject(), Standing: q.Action.Standing(),
		Reason: q.Decision.Reason, Rule: q.Decision.Rule, Digest: digest, Deadline: q.Deadline,
	}}
	d.mu.Lock()
	show := d.viewers[turnKey(q.Origin)]
	d.mu.Unlock()
	if show == nil {
		return tools.AnswerDeny, fmt.Errorf("nobody watches turn %s, so question %s can't be asked: run agent chat at a terminal", q.Origin.Turn, q.ID)
	}
	if err := d.ledger.Put(nsQuestions, q.ID, approvalFmt, ask.asked); err != nil {
		return tools.AnswerDeny, fmt.Errorf("keep question %s: %w", q.ID, err)
	}
	d.mu.Lock()
	d.open[q.ID] = ask
	d.mu.Unlock()
	defer d.close(q.ID)
	asked := ask.asked
	show(event.Event{Kind: event.ApprovalAsked, Approval: &asked})
	got := d.wait(ctx, ask)
	d.remember(got, session, turn)
	show(event.Event{Kind: event.ApprovalAnswered, Approval: &got})
	return tools.Answer(got.Answer), nil
}

// boundTo binds a digest to one agent: what a person allows the one is no word on
// another.
func boundTo(agent, digest string) string {
	if otherThanMain(agent) == "" {
		return digest
	}
	sum := sha256.Sum256([]byte(agent + "\n" + digest))
	return hex.EncodeToString(sum[:])
}

// otherThanMain names an agent, empty for the agent main.
func otherThanMain(agent string) string {
	if agent == event.MainAgent {
		return ""
	}
	return agent
}

// turnKey names a turn among those of all sessions.
func turnKey(o tools.Origin) string { return o.Session + "/" + o.Turn }

// known is an answer that needs no question: nobody is there, it was denied in
// this turn, or allowed before.
func (d *Broker) known(q tools.Question, digest, session, turn string) (tools.Answer, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, always := d.always[digest]
	switch {
	case !q.Origin.Attended || d.denied[turn]:
		return tools.AnswerDeny, true
	case always && q.Action.Standing():
		return tools.AnswerAlways, true
	case d.granted[session]:
		return tools.AnswerSession, true
	}
	return "", false
}

// remember keeps an answer as far as it reaches. A grant was kept by Answer
// before the act could begin.
func (d *Broker) remember(got event.Approval, session, turn string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch tools.Answer(got.Answer) {
	case tools.AnswerOnce, tools.AnswerAlways:
	case tools.AnswerSession:
		if len(d.granted) >= mostGranted {
			clear(d.granted)
		}
		d.granted[session] = true
	default:
		d.denied[turn] = true
	}
}

// wait is the answer to one question.
func (d *Broker) wait(ctx context.Context, ask *question) event.Approval {
	timer := time.NewTimer(ask.asked.Deadline.Sub(d.now()))
	defer timer.Stop()
	got := ask.asked
	select {
	case got = <-ask.answer:
	case <-timer.C:
		got.Answer, got.By = string(tools.AnswerExpired), "deadline"
	case <-ctx.Done():
		got.Answer, got.By = string(tools.AnswerDeny), "turn ended"
	}
	return got
}

func (d *Broker) close(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
	// What can't be deleted now is closed by the next start.
	_ = d.ledger.Delete(nsQuestions, id)
}

// Answer gives a person's word on an open question; by names the person's way in.
// A second answer to the same question is refused. An always is on disk before it
// counts.
func (d *Broker) Answer(id, answer, by string) error {
	switch tools.Answer(answer) {
	case tools.AnswerOnce, tools.AnswerSession, tools.AnswerAlways, tools.AnswerDeny:
	default:
		return &event.Problem{
			Code: "bad_answer", Message: fmt.Sprintf("%q is no answer", answer),
			Hint: "answer once, session, always or deny",
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.open[id]
	switch {
	case q == nil && d.expired[id]:
		return &event.Problem{
			Code: "expired", Message: fmt.Sprintf("question %s expired when the agent started anew; nothing was run", id),
			Hint: "ask the agent again",
		}
	case q == nil:
		return &event.Problem{
			Code: "no_question", Message: fmt.Sprintf("there is no open question %s: it was answered, or it expired", id),
			Hint: "agent approvals list shows what is open; else ask the agent again",
		}
	case answer == string(tools.AnswerAlways) && !q.asked.Standing:
		return &event.Problem{
			Code: "not_standing", Message: "an interpreter, a wrapper or a script can't be allowed for always: its text says nothing of what it will do",
			Hint: "answer once or session",
		}
	}
	if answer == string(tools.AnswerAlways) {
		g := Grant{Agent: q.asked.Agent, Digest: q.asked.Digest, Tool: q.asked.Tool, Subject: q.asked.Subject, Given: d.now(), By: by}
		if err := d.ledger.Put(nsGrants, g.Digest, approvalFmt, g); err != nil {
			return fmt.Errorf("keep the grant: %w", err)
		}
		d.always[g.Digest] = g
	}
	delete(d.open, id)
	got := q.asked
	got.Answer, got.By = answer, by
	q.answer <- got
	return nil
}

// Open lists the open questions, oldest first.
func (d *Broker) Open() []event.Approval {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]event.Approval, 0, len(d.open))
	for _, q := range d.open {
		out = append(out, q.asked)
	}
	slices.SortFunc(out, func(a, b event.Approval) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Grants lists the standing permissions, oldest first.
func (d *Broker) Grants() []Grant {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := slices.Collect(maps.Values(d.always))
	slices.SortFunc(out, func(a, b Grant) int {
		return cmp.Or(a.Given.Compare(b.Given), cmp.Compare(a.Digest, b.Digest))
	})
	return out
}

// Revoke takes a standing permission back, by its digest or at least eight
// leading characters of it.
func (d *Broker) Revoke(digest string) (Grant, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []Grant
	for key, g := range d.always {
		if len(digest) >= 8 && strings.HasPrefix(key, digest) {
			found = append(found, g)
		}
	}
	if len(found) != 1 {
		word := "no standing permission begins"
		if len(found) > 1 {
			word = fmt.Sprintf("%d standing permissions begin", len(found))
		}
		return Grant{}, &event.Problem{
			Code: "no_grant", Message: fmt.Sprintf("%s with %q", word, digest),
			Hint: "agent approvals grants lists them; give at least eight characters",
		}
	}
	if err := d.ledger.Delete(nsGrants, found[0].Digest); err != nil {
		return Grant{}, fmt.Errorf("take the grant back: %w", err)
	}
	delete(d.always, found[0].Digest)
	return found[0], nil
}
