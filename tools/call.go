package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"hardshell/policy"
	"hardshell/tools/args"
)

// call is one call on its way through the door.
type call struct {
	r        *Registry
	from     Origin
	call     Call
	tool     Tool
	prepared Prepared
	args     json.RawMessage // as they were checked
	pol      Policy
	facts    policy.Facts
	decision policy.Decision
	decided  bool           // the decision is policy's own
	counts   map[string]int // uses of rules with a rate, as policy counted them
	repaired []string
	question string // id of the question to a person
	answer   Answer
	began    time.Time
}

// Call takes one call through the door and gives its result. The error is set only
// when the context is dead or the audit can't be kept: nothing was acted on then,
// or, when the record after the act failed, the result says what was done.
// New output of a running act goes to say, which may be nil.
func (r *Registry) Call(ctx context.Context, from Origin, c Call, say func(text string)) (Result, error) {
	t := r.find(c.Name)
	if t == nil {
		return r.unknown(c.Name, from), context.Cause(ctx)
	}
	return r.through(ctx, from, c, t, say)
}

// Run takes a call of the runtime itself through the same door as every other one.
// id names it in the record.
func (r *Registry) Run(ctx context.Context, from Origin, id string, t Tool) (Result, error) {
	return r.through(ctx, from, Call{ID: id, Name: t.Spec().Name, Args: json.RawMessage("{}")}, t, nil)
}

// through is the way of every call, whoever made it.
func (r *Registry) through(ctx context.Context, from Origin, c Call, t Tool, say func(text string)) (res Result, err error) {
	began := r.cfg.Now()
	defer func() { res.Took = r.cfg.Now().Sub(began) }()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	k := &call{r: r, from: from, call: c, pol: r.cfg.Policy(), began: began, tool: t}
	if early := k.prepare(ctx); early != nil {
		return k.shown(*early), nil
	}
	defer k.free()
	if err := k.allow(ctx); err != nil {
		return Result{}, err
	}
	if k.decision.Verdict != policy.Allow {
		return k.shown(k.refused()), nil
	}
	out := k.act(ctx, say)
	if err := k.recordAct(ctx, out); err != nil {
		return k.shown(out), err
	}
	if ctx.Err() != nil {
		return k.shown(out), context.Cause(ctx)
	}
	return k.shown(out), nil
}

// Judge says what would become of a call, without doing it and without a record.
func (r *Registry) Judge(ctx context.Context, from Origin, name string, args json.RawMessage) policy.Decision {
	k, d := r.judge(ctx, from, name, args)
	defer k.free()
	return r.redactDecision(d)
}

// judge brings a call as far as its decision. The caller frees it.
func (r *Registry) judge(ctx context.Context, from Origin, name string, args json.RawMessage) (*call, policy.Decision) {
	k := &call{r: r, from: from, call: Call{Name: name, Args: args}, pol: r.cfg.Policy(), tool: r.find(name)}
	if k.tool == nil {
		return k, refusal(&Refusal{Rule: "tools.unknown", Reason: r.unknown(name, from).Text, Hint: "name one of these"})
	}
	if early := k.prepare(ctx); early != nil {
		return k, refusal(&Refusal{Rule: "tools." + string(early.Outcome), Reason: early.Text, Hint: "correct the arguments and ask again"})
	}
	return k, k.decision
}

// prepare repairs the arguments, plans and decides. A result means that the call
// ends here, with nothing to judge.
func (k *call) prepare(ctx context.Context) *Result {
	// What is said of arguments quotes parts, and a part of a secret is not found: so
	// it is said of redacted ones.
	redactor := k.r.cfg.Redactor
	var err error
	k.args, k.repaired, err = args.RepairShowing(k.tool.Spec().Schema, k.call.Args, redactor.Redact)
	if err != nil {
		return k.noAct(err)
	}
	k.prepared, err = k.safePrepare(ctx, k.args)
	if k.prepared.Action.Tool == "" {
		k.prepared.Action.Tool = k.call.Name
	}
	var no *Refusal
	switch d, ok := offered(k.pol, k.from, k.call.Name); {
	case !ok:
		k.decision = d
	case errors.As(err, &no):
		k.decision = refusal(no)
	case err != nil:
		k.free()
		if shown := args.Redact(redactor, k.args); !bytes.Equal(shown, k.args) {
			again, wrong := k.safePrepare(ctx, shown)
			if again.Close != nil {
				again.Close()
			}
			err = said(err, wrong)
		}
		return k.noAct(err)
	default:
		k.decide()
	}
	return nil
}

// said is an error in the words that it has for redacted arguments.
func said(err, redacted error) error {
	if err != nil && redacted != nil {
		return redacted
	}
	return err
}

// Judge asks policy. Whatever goes wrong in there is a denial.
func (k *call) decide() {
	defer func() {
		if p := recover(); p != nil {
			k.decision = refusal(&Refusal{
				Rule: "internal", Reason: fmt.Sprintf("policy broke on this action (%v)", p), Hint: "report this as a fault of hardshell",
			})
		}
	}()
	k.facts, k.decision = k.r.weigh(k.pol, k.from, k.prepared)
	k.decided, k.counts = true, k.decision.Counts
}

// noAct is the result of a call that could not be prepared: wrong arguments, or a
// world that does not have what they name.
func (k *call) noAct(err error) *Result {
	var arg *args.Error
	if errors.As(err, &arg) {
		return &Result{Outcome: Invalid, Text: fmt.Sprintf("invalid arguments for %s: %s. Nothing was done; correct them and call again.", k.call.Name, strings.TrimSuffix(err.Error(), "."))}
	}
	return &Result{Outcome: Failed, Text: "failed: " + err.Error()}
}

// safePrepare keeps a fault in a tool from taking the agent down.
func (k *call) safePrepare(ctx context.Context, args json.RawMessage) (p Prepared, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			p, err = Prepared{}, broke(k.call.Name, fault)
		}
	}()
	return k.tool.Prepare(ctx, k.from, args)
}

// broke is the error of a tool that panicked.
func broke(tool string, fault any) error {
	where := ""
	for line := range strings.Lines(string(debug.Stack())) {
		if s := strings.TrimSpace(line); strings.Contains(s, "/tools/") && !strings.Contains(s, "/call.go") && strings.Contains(s, ".go:") {
			where, _, _ = strings.Cut(s[strings.LastIndexByte(s, '/')+1:], " ")
			break
		}
	}
	return fmt.Errorf("the tool %s broke (internal error: %v %s); use another way and report this as a fault of hardshell", tool, fault, where)
}

func (k *call) free() {
	if k.prepared.Close != nil {
		k.prepared.Close()
		k.prepared.Close = nil
	}
}

// act does what was allowed.
func (k *call) act(ctx context.Context, say func(string)) (res Result) {
	res.Decision = k.decision
	defer func() {
		if fault := recover(); fault != nil {
			res.Outcome, res.Text = Failed, "failed: "+broke(k.call.Name, fault).Error()
		}
	}()
	if say == nil {
		say = func(string) {}
	}
	out, err := k.prepared.Do(ctx, k.judged(), func(text string) { say(k.r.cfg.Redactor.Redact(text)) })
	res.Outcome, res.Text, res.Cut, res.Layers, res.Starts, res.Waited = OK, out.Text, out.Cut, out.Layers, out.Starts, out.Waited
	var no *Refusal
	switch {
	case errors.As(err, &no):
		k.decision = refusal(no)
		return k.refused()
	case err != nil:
		res.Outcome, res.Text = Failed, "failed: "+err.Error()
	case out.Failed:
		res.Outcome = Failed
	}
	return res
}

// judged is what the act may rely on.
func (k *call) judged() Judged {
	j := Judged{Facts: k.facts}
	if k.decision.Grants != nil {
		j.Grants = *k.decision.Grants
	}
	if k.prepared.Action.Command() != nil {
		j.Start = newStarts(k, j.Grants).judge
	}
	if p, ok := k.pol.(keeper); ok {
		j.Unreadable = func(abs string) bool { return p.Unreadable(k.facts, abs) }
	}
	return j
}

// refused is the result of a denial: reason, rule, hint.
func (k *call) refused() Result {
	d := k.decision
	text := fmt.Sprintf("refused: %s (rule %s)", d.Reason, d.Rule)
	if d.Hint != "" {
		text += "\nhint: " + d.Hint
	}
	return Result{Outcome: Refused, Text: text, Decision: d}
}

// shown finishes a result: what was repaired is said, secrets are redacted.
func (k *call) shown(res Result) Result {
	res.Approval, res.Repaired = k.question, k.repaired
	if len(k.repaired) > 0 {
		res.Text = strings.TrimSuffix(res.Text, "\n") + "\n[arguments: " + strings.Join(k.repaired, "; ") + "]"
	}
	res.Text, res.Cut = k.r.cfg.Redactor.Redact(res.Text), k.r.cfg.Redactor.Redact(res.Cut)
	res.Decision = k.r.redactDecision(res.Decision)
	return res
}
