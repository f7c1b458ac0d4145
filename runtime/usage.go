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

// count adds one request to the turn's usage and tells the ledger what was
// really read. It reports whether the server lost part of the prompt.
func (t *turn) count(plan model.Plan, rep model.Reply) (truncated bool) {
	t.usage.Requests++
	if rep.Usage.Prompt == 0 { // the request never reached the model
		t.unknownReuse = true
		return false
	}
	u := rep.Usage
	t.note(plan, u)
	found := t.a.ledger.Done(plan, u)
	t.a.warm.Saw(found)
	if found.Low >= lowReuse {
		t.warnReuse(plan, found, u)
	}
	if t.usage.Requests == 1 {
		t.usage.FirstToken = u.FirstToken.Milliseconds()
	}
	t.usage.Prompt += u.Prompt
	t.usage.Output += u.Output
	t.usage.Predicted += plan.Predicted
	t.usage.Load += u.Load.Milliseconds()
	t.usage.PromptEval += u.PromptEval.Milliseconds()
	t.usage.Eval += u.Eval.Milliseconds()
	if !u.CachedKnown {
		t.unknownReuse = true
	}
	if t.unknownReuse {
		t.usage.Reused, t.usage.New = nil, nil
		return found.Truncated
	}
	reused, fresh := u.Cached, u.Prompt-u.Cached
	if t.usage.Reused != nil {
		reused, fresh = reused+*t.usage.Reused, fresh+*t.usage.New
	}
	t.usage.Reused, t.usage.New = &reused, &fresh
	return found.Truncated
}

// note keeps what one request was expected to cost and what it cost.
func (t *turn) note(plan model.Plan, u model.Usage) {
	r := RequestReport{
		Bytes: plan.Bytes, Common: plan.Common, Break: plan.Break, Part: plan.Part,
		Prompt: u.Prompt, Predicted: plan.Predicted, Output: u.Output,
	}
	if u.CachedKnown {
		r.Reused = &u.Cached
	}
	t.requests = append(t.requests, r)
}

// warnReuse tells once a session that the server reads again what it has read.
func (t *turn) warnReuse(plan model.Plan, found model.Outcome, u model.Usage) {
	if !t.a.sessions.warnOnce(t.ask.Session) {
		return
	}
	t.warn(event.Notice{
		Code: "low_reuse",
		Message: fmt.Sprintf("the server read about %d of %d prompt tokens anew although about %d were unchanged, %d times in a row; models of the family %q may not resume in the middle of a prompt",
			u.Prompt-found.Reused, u.Prompt, plan.Predicted, found.Low, t.c.Info.Family),
		Hint: "see whether another program uses the same server, whether keep_alive unloads the model, or try another model",
	})
}

// Report is what a turn's record keeps beside cost, calls and answer.
type Report struct {
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
	rep, err := json.Marshal(Report{
		Run: t.ask.Run, Model: t.c.Info.Name, Window: t.c.NumCtx, Problem: end.Error, Parts: t.prefix.Report.Parts,
		Requests: t.requests,
	})
	if err != nil {
		return fmt.Errorf("encode the turn's report: %w", err)
	}
	return t.s.EndTurn(session.TurnRecord{
		ID: t.id, Started: t.began, Status: end.Status, Answer: end.Answer,
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
