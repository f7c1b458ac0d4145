package runtime

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/tools"
)

// Approvals holds the questions that are open now and carries them to whoever
// watches the turn, at any terminal. An answer binds the digest of exactly one
// action; what a person allowed for the session is remembered by that digest and
// forgotten with the process.
type Approvals struct {
	now func() time.Time

	mu      sync.Mutex
	next    int
	open    map[string]*question
	granted map[string]bool // session + digest
	denied  map[string]bool // turn + digest: a denial is final for its turn
	viewers map[string]func(event.Event)
}

// question is one open question.
type question struct {
	asked  event.Approval
	from   tools.Origin
	answer chan event.Approval
}

// NewApprovals gives a desk without questions.
func NewApprovals(now func() time.Time) *Approvals {
	return &Approvals{
		now: now, open: map[string]*question{}, granted: map[string]bool{},
		denied: map[string]bool{}, viewers: map[string]func(event.Event){},
	}
}

var _ tools.Approver = (*Approvals)(nil)

// join makes a turn's events the place where its questions appear; leave ends
// that and forgets the turn's denials.
func (d *Approvals) join(turn string, emit func(event.Event)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.viewers[turn] = emit
}

func (d *Approvals) leave(turn string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.viewers, turn)
	for k := range d.denied {
		if strings.HasPrefix(k, turn+"\n") {
			delete(d.denied, k)
		}
	}
}

// Ask puts a question to a person and waits for the answer, the deadline or the
// end of the turn. Without a person it denies at once.
func (d *Approvals) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	digest := q.Action.Digest()
	session, turn := q.Origin.Session+"\n"+digest, q.Origin.Turn+"\n"+digest
	d.mu.Lock()
	switch {
	case !q.Origin.Attended:
		d.mu.Unlock()
		return tools.AnswerDeny, nil
	case d.denied[turn]:
		d.mu.Unlock()
		return tools.AnswerDeny, nil
	case d.granted[session]:
		d.mu.Unlock()
		return tools.AnswerSession, nil
	}
	d.next++
	ask := &question{from: q.Origin, answer: make(chan event.Approval, 1), asked: event.Approval{
		ID: "a" + strconv.Itoa(d.next), Tool: q.Action.Tool, Subject: subject(q.Action),
		Reason: q.Decision.Reason, Rule: q.Decision.Rule, Digest: digest, Deadline: q.Deadline,
	}}
	d.open[ask.asked.ID] = ask
	show := d.viewers[q.Origin.Turn]
	d.mu.Unlock()
	defer d.close(ask.asked.ID)
	if show == nil {
		return tools.AnswerDeny, fmt.Errorf("nobody watches turn %s, so question %s can't be asked: run agent chat at a terminal", q.Origin.Turn, ask.asked.ID)
	}
	asked := ask.asked
	show(event.Event{Kind: event.ApprovalAsked, Approval: &asked})
	got := d.wait(ctx, ask)
	d.mu.Lock()
	switch tools.Answer(got.Answer) {
	case tools.AnswerSession:
		d.granted[session] = true
	case tools.AnswerOnce:
	default:
		d.denied[turn] = true
	}
	d.mu.Unlock()
	show(event.Event{Kind: event.ApprovalAnswered, Approval: &got})
	return tools.Answer(got.Answer), nil
}

// wait is the answer to one question.
func (d *Approvals) wait(ctx context.Context, ask *question) event.Approval {
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

func (d *Approvals) close(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
}

// Answer gives a person's word on an open question; by names the person's way in.
// A second answer to the same question is refused.
func (d *Approvals) Answer(id, answer, by string) error {
	switch tools.Answer(answer) {
	case tools.AnswerOnce, tools.AnswerSession, tools.AnswerDeny:
	default:
		return &event.Problem{
			Code: "bad_answer", Message: fmt.Sprintf("%q is no answer", answer),
			Hint: "answer once, session or deny",
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.open[id]
	if q == nil {
		return &event.Problem{
			Code: "no_question", Message: fmt.Sprintf("there is no open question %s: it was answered, it expired, or the agent started anew", id),
			Hint: "ask the agent again",
		}
	}
	delete(d.open, id)
	got := q.asked
	got.Answer, got.By = answer, by
	q.answer <- got
	return nil
}

// Open lists the open questions, oldest first.
func (d *Approvals) Open() []event.Approval {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]event.Approval, 0, len(d.open))
	for _, q := range d.open {
		out = append(out, q.asked)
	}
	slices.SortFunc(out, func(a, b event.Approval) int {
		x, _ := strconv.Atoi(a.ID[1:])
		y, _ := strconv.Atoi(b.ID[1:])
		return x - y
	})
	return out
}

// subject is an action as one line for a person.
func subject(a policy.Action) string { return tools.Subject(a) }
