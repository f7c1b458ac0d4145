package runtime

import (
	"encoding/json"
	"fmt"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
)

// replyShare bounds the part of the window that is kept for the reply: a quarter.
const replyShare = 4

// predict is the cap on what one request generates: model.num_predict, and never
// more than a quarter of the window.
func (a *Agent) predict(c choice) int {
	return max(1, min(a.cfg.Limits.NumPredict, c.numCtx/replyShare))
}

// priority is a run kind's place in the lane: a person goes first.
func priority(run string) model.Priority {
	if run == "chat" {
		return model.Person
	}
	return model.Scheduled
}

// count adds one request to the turn's usage and tells the ledger what was
// really read.
func (t *turn) count(plan model.Plan, rep model.Reply) {
	t.usage.Requests++
	if rep.Usage.Prompt == 0 { // the request never reached the model
		t.unknownReuse = true
		return
	}
	t.a.ledger.Done(plan, rep.Usage)
	u := rep.Usage
	if t.usage.Requests == 1 {
		t.usage.FirstToken = millis(u.FirstToken)
	}
	t.usage.Prompt += u.Prompt
	t.usage.Output += u.Output
	t.usage.Predicted += plan.Predicted
	t.usage.Load += millis(u.Load)
	t.usage.PromptEval += millis(u.PromptEval)
	t.usage.Eval += millis(u.Eval)
	if !u.CachedKnown {
		t.unknownReuse = true
	}
	if t.unknownReuse {
		t.usage.Reused, t.usage.New = nil, nil
		return
	}
	reused, fresh := u.Cached, u.Prompt-u.Cached
	if t.usage.Reused != nil {
		reused, fresh = reused+*t.usage.Reused, fresh+*t.usage.New
	}
	t.usage.Reused, t.usage.New = &reused, &fresh
}

// record keeps the turn: what it cost, each call with its verdict, how it ended.
func (t *turn) record(end event.End) error {
	return t.s.EndTurn(session.TurnRecord{
		ID: t.id, Started: t.began, Run: t.ask.Run, Model: t.c.info.Name,
		Status: end.Status, Answer: end.Answer, Calls: end.Calls, Usage: end.Usage, Problem: end.Error,
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
