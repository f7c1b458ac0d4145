package runtime

import (
	"encoding/json"
	"fmt"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// priority is a run kind's place in the lane: a person goes first.
func priority(run string) model.Priority {
	switch run {
	case string(assembly.Chat):
		return model.Person
	case prompt.SubRun:
		return model.Sub
	}
	return model.Scheduled
}

// lowReuse is how many requests in a row may reuse far less than they should
// before the person is told, once a session.
const lowReuse = 2

// cost counts what one turn costs.
type cost struct {
	ledger   *model.Ledger
	saw      func(model.Outcome) // learns what the server kept
	warnOnce func() bool         // whether nobody was warned of low reuse in this session yet
	family   string              // of the model
	out      *events
	usage    event.Usage
	requests []RequestReport
	unknown  bool // the server did not say of some request what it reused
}

// count adds one request to the turn's usage and tells the ledger what was
// really read. It reports whether the server lost part of the prompt.
func (k *cost) count(plan model.Plan, rep model.Reply) (truncated bool) {
	k.usage.Requests++
	if rep.Usage.Prompt == 0 { // the request never reached the model
		k.unknown = true
		return false
	}
	u := rep.Usage
	k.note(plan, u)
	found := k.ledger.Done(plan, u)
	k.saw(found)
	if found.Low >= lowReuse {
		k.warnReuse(plan, found, u)
	}
	if k.usage.Requests == 1 {
		k.usage.FirstToken = u.FirstToken.Milliseconds()
	}
	k.usage.Prompt += u.Prompt
	k.usage.Output += u.Output
	k.usage.Predicted += plan.Predicted
	k.usage.Load += u.Load.Milliseconds()
	k.usage.PromptEval += u.PromptEval.Milliseconds()
	k.usage.Eval += u.Eval.Milliseconds()
	if !u.CachedKnown {
		k.unknown = true
	}
	if k.unknown {
		k.usage.Reused, k.usage.New = nil, nil
		return found.Truncated
	}
	reused, fresh := u.Cached, u.Prompt-u.Cached
	if k.usage.Reused != nil {
		reused, fresh = reused+*k.usage.Reused, fresh+*k.usage.New
	}
	k.usage.Reused, k.usage.New = &reused, &fresh
	return found.Truncated
}

// note keeps what one request was expected to cost and what it cost.
func (k *cost) note(plan model.Plan, u model.Usage) {
	r := RequestReport{
		Bytes: plan.Bytes, Common: plan.Common, Break: plan.Break, Part: plan.Part,
		Prompt: u.Prompt, Predicted: plan.Predicted, Output: u.Output,
	}
	if u.CachedKnown {
		r.Reused = &u.Cached
	}
	k.requests = append(k.requests, r)
}

// warnReuse tells once a session that the server reads again what it has read.
func (k *cost) warnReuse(plan model.Plan, found model.Outcome, u model.Usage) {
	if !k.warnOnce() {
		return
	}
	k.out.warn(event.Notice{
		Code: "low_reuse",
		Message: fmt.Sprintf("the server read about %d of %d prompt tokens anew although about %d were unchanged, %d times in a row; models of the family %q may not resume in the middle of a prompt",
			u.Prompt-found.Reused, u.Prompt, plan.Predicted, found.Low, k.family),
		Hint: "see whether another program uses the same server, whether keep_alive unloads the model, or try another model",
	})
}

// Remarks is what a turn's record keeps beside cost, calls and answer.
type Remarks struct {
	Run     string         `json:"run"`
	Model   string         `json:"model"`
	Window  int            `json:"window"`
	Problem *event.Problem `json:"error,omitempty"`
	// Parts are the parts of the prompt and their sizes, as they were sent.
	Parts    []assembly.Part `json:"parts"`
	Requests []RequestReport `json:"requests"`
}

// RequestReport is one model request of a turn: what the ledger expected and what
// the server counted.
type RequestReport struct {
	Bytes int `json:"bytes"` // of the whole prompt
	// Common counts the leading bytes that the server was believed to hold; Break
	// is the first byte that differed from what it held, -1 when it only grew, and
	// Part the piece of the prompt in which that byte lies.
	Common int    `json:"common_bytes"`
	Break  int    `json:"first_differing_byte"`
	Part   string `json:"part,omitempty"`
	// Tokens as the server counted them; Reused is nil when it does not say.
	Prompt    int  `json:"prompt_tokens"`
	Predicted int  `json:"predicted_reuse"`
	Reused    *int `json:"reused_tokens"`
	Output    int  `json:"output_tokens"`
}

// record keeps the turn: what it cost, each call with its verdict, how it ended.
func (t *turn) record(end event.End) error {
	rep, err := json.Marshal(Remarks{
		Run: t.ask.Run, Model: t.c.Info.Name, Window: t.c.NumCtx, Problem: end.Error, Parts: t.prefix.Report.Parts,
		Requests: t.cost.requests,
	})
	if err != nil {
		return fmt.Errorf("encode the turn's report: %w", err)
	}
	return t.s.EndTurn(session.TurnRecord{
		ID: t.out.turn, Started: t.began, Status: end.Status, Answer: end.Answer,
		Calls: end.Calls, Usage: end.Usage, Report: rep,
	})
}

// size is what a message brings to the prompt in bytes, marks of the template
// not counted.
func size(m message.Message) int {
	n := len(m.Text) + len(m.ToolName)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

// offersSize is the tool array in bytes.
func offersSize(ts []message.Offer) int {
	b, err := model.ToolArray(ts)
	if err != nil {
		b, _ = json.Marshal(ts)
	}
	return len(b)
}

// tooLong is the problem of a request that can't fit: a table of what takes how
// much, so that a person sees what to shorten.
func tooLong(window, reserve int, rows []row) *event.Problem {
	text := fmt.Sprintf("the prompt does not fit: model.num_ctx = %d tokens, of which %d are kept for the reply", window, reserve)
	for _, r := range rows {
		text += fmt.Sprintf("\n  %-28s %8d bytes  about %6d tokens", r.name, r.bytes, r.tokens)
	}
	return &event.Problem{
		Code: "overflow", Message: text,
		Hint: "shorten the largest file, start anew with /new, or raise model.num_ctx if the memory allows",
	}
}

// row is one line of that table.
type row struct {
	name          string
	bytes, tokens int
}
