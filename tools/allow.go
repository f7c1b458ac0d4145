package tools

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/policy/wording"
	"hardshell/tools/text"
)

// maxSubject is the longest action that a person is asked about, in characters: two
// pages. What is shown is never cut.
const maxSubject = 4000

// allow brings a decision to allow or deny, a person's word included, and puts it
// on record before anything is done. The error means that nothing may be done.
func (k *call) allow(ctx context.Context) error {
	if k.decision.Verdict == policy.Ask {
		if err := k.ask(ctx); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := k.take(); err != nil {
		return err
	}
	return k.recordDecision(ctx)
}

// take counts the uses of rules with a rate before the act. Where others used them
// since policy looked, policy decides anew: a rate holds for twin calls, too, and
// for an answer that came late. A person's yes to this action stays one.
func (k *call) take() error {
	for k.decision.Verdict == policy.Allow && len(k.counts) > 0 {
		ok, err := k.r.cfg.Uses.take(k.counts, k.facts.Used, k.r.cfg.Now())
		if err != nil {
			return fmt.Errorf("%w; %s was not done", err, k.call.Name)
		}
		if ok {
			return nil
		}
		k.facts.Now, k.facts.Used = k.r.cfg.Now(), k.r.cfg.Uses.all()
		d := k.pol.Decide(k.prepared.Action, k.facts)
		if k.counts = d.Counts; d.Verdict == policy.Deny {
			k.decision = d
		}
	}
	return nil
}

// ask puts the question to a person. With nobody present it is a denial at once.
func (k *call) ask(ctx context.Context) error {
	asked := k.decision
	if !k.from.Attended || k.r.cfg.Approver == nil {
		k.deny(asked, "approval.nobody-present",
			"this needs a person's approval and no person is present: "+asked.Reason,
			"do it another way, or leave it for a person: they can ask for it in the chat")
		return nil
	}
	if n := utf8.RuneCountInString(k.prepared.Action.Subject()); n > maxSubject {
		k.deny(asked, "approval.too-long",
			fmt.Sprintf("this needs a person's approval and has %d characters; a person is shown %d at most, and nobody approves what they can't see", n, maxSubject),
			"make it shorter, or write the text into a file first")
		return nil
	}
	if p := k.unbound(); p != "" {
		k.deny(asked, "approval.pipe",
			fmt.Sprintf("this needs a person's approval and names %s, a pipe or a socket: what comes out of it after the answer is nothing that a person can judge", wording.Word(p)),
			"put what it should read into a file first")
		return nil
	}
	id, err := k.r.nextQuestion()
	if err != nil {
		return fmt.Errorf("the question can't be kept, so %s was not done: %w", k.call.Name, err)
	}
	k.question = id
	if err := k.recordDecision(ctx); err != nil {
		return err
	}
	deadline, bound := k.r.cfg.Now().Add(k.r.cfg.Deadline), k.bound()
	answer, err := k.r.cfg.Approver.Ask(ctx, Question{
		ID: k.question, Origin: k.from, Action: k.redacted(), Decision: k.r.redactDecision(asked), Deadline: deadline, Bound: bound,
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	k.answer = answer
	switch {
	case err != nil:
		k.answer = AnswerDeny
		k.deny(asked, "approval.not-asked", "this needs a person's approval and the question could not be put: "+err.Error(), "do it another way")
	case answer != AnswerDeny && answer != AnswerExpired && k.bound() != bound:
		k.deny(asked, "approval.changed",
			fmt.Sprintf("a program or file that question %s was about changed before the answer came", k.question), "look at it, and ask again")
	case answer == AnswerOnce || answer == AnswerSession || answer == AnswerAlways:
		k.decision.Verdict = policy.Allow
	case answer == AnswerExpired:
		k.deny(asked, "approval.expired",
			fmt.Sprintf("question %s got no answer within %s (approvals.deadline)", k.question, text.Span(k.r.cfg.Deadline.Round(time.Second))),
			"ask again when the person is there; don't repeat it in this turn")
	default:
		k.answer = AnswerDeny
		k.deny(asked, "approval.denied", fmt.Sprintf("a person said no to question %s", k.question),
			"that is final for this turn; don't try variants of it")
	}
	return nil
}

// deny turns a question into a denial and keeps the rule that asked.
func (k *call) deny(asked policy.Decision, rule, reason, hint string) {
	match := policy.Match{Rule: rule, Verdict: policy.Deny, Why: reason}
	k.decision = policy.Decision{
		Verdict: policy.Deny, Rule: rule, Reason: reason, Hint: hint,
		Matched: append([]policy.Match{match}, asked.Matched...),
	}
}

// record is what every record of this call says.
func (k *call) record(kind string) audit.Line {
	rec := audit.Line{
		Time: k.r.cfg.Now(), Kind: kind,
		Agent: k.from.Agent, Session: k.from.Session, Turn: k.from.Turn, Run: k.from.Run,
		Call: k.call.ID, Tool: k.call.Name,
		Subject: k.redacted().Subject(), Digest: k.prepared.Action.Digest(),
		Verdict: k.decision.Verdict.String(), Rule: k.decision.Rule, Reason: k.r.cfg.Redactor.Redact(k.decision.Reason),
	}
	if k.question != "" {
		rec.Approval = k.question
		if k.answer != "" {
			rec.Approval += " " + string(k.answer)
		}
	}
	return rec
}

// recordDecision keeps the decision. It comes before the act, so that a kill at
// any instant leaves it on record.
func (k *call) recordDecision(ctx context.Context) error {
	if err := k.r.cfg.Auditor.Record(ctx, k.record("decision")); err != nil {
		return fmt.Errorf("the audit can't be kept, so %s was not done: %w", k.call.Name, err)
	}
	return nil
}

// recordAct keeps what came of it, even when the turn is over meanwhile.
func (k *call) recordAct(ctx context.Context, res Result) error {
	rec := k.record("act")
	rec.Outcome, rec.Layers, rec.Millis = string(res.Outcome), res.Layers, k.r.cfg.Now().Sub(k.began).Milliseconds()
	for _, s := range res.Starts {
		rec.Starts = append(rec.Starts, k.r.cfg.Redactor.Redact(s))
	}
	if err := k.r.cfg.Auditor.Record(context.WithoutCancel(ctx), rec); err != nil {
		return fmt.Errorf("%s was done (%s), but its audit record can't be kept: %w", k.call.Name, res.Outcome, err)
	}
	return nil
}
