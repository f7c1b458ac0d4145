package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/reply"
	"hardshell/tools"
	"hardshell/tools/args"
)

// read is one reply, understood.
type read struct {
	msg     message.Message
	calls   []message.Call
	unknown []string // tools that a text form named and that don't exist
	cut     bool     // the generation limit ended it
	void    bool     // the server lost part of the prompt: nothing of it is acted on
}

// read finds the calls of a reply: native ones, else text forms. void says that
// the server lost part of the prompt.
func (t *turn) read(rep model.Reply, void bool) read {
	r := read{msg: rep.Message, calls: collapse(rep.Message.Calls), void: void || rep.Truncated}
	r.msg.Role = message.Assistant
	// An envelope may be whole and only the blanks behind it cut.
	r.cut = rep.DoneReason == "length" && (r.msg.Cut != "" || !t.c.Info.Enveloped())
	if len(r.calls) == 0 {
		found := model.Recover(r.msg.Text, t.fits)
		if found.Found {
			r.calls, r.unknown = found.Calls, found.Unknown
		}
		if len(r.calls) > 0 {
			r.msg.Text = ""
		}
	}
	t.calls.number(r.calls)
	r.msg.Calls = r.calls
	return r
}

// fits checks the arguments of a call that was found in text: the tool is
// offered and its schema takes them.
func (t *turn) fits(name string, given []byte) ([]byte, error) {
	for _, s := range t.a.prompts.Specs(t.form) {
		if s.Name == name {
			out, _, err := args.Repair(s.Schema, given)
			return out, err
		}
	}
	return nil, model.ErrNotOffered
}

// collapse folds identical calls of one reply into one: a model that asks six
// times in one breath means it once.
func collapse(calls []message.Call) []message.Call {
	var out []message.Call
	seen := map[string]bool{}
	for _, c := range calls {
		key := c.Name + "\n" + string(c.Args)
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// take stores a reply and acts on it. It returns nil when the model has to be
// asked again, else how the turn ended.
func (t *turn) take(ctx context.Context, r read) *event.End {
	if r.void {
		t.out.warn(event.Notice{
			Code:    "truncated_by_server",
			Message: "the server read far fewer tokens than were sent, so part of the prompt was lost; the reply's tool calls were not acted on",
			Hint:    "check that the server honours num_ctx (model.num_ctx) and is not shared with another program",
		})
		r.calls, r.msg.Calls = nil, nil
	}
	if r.cut && t.c.Info.Enveloped() && len(r.calls) == 0 && strings.TrimSpace(r.msg.Text) == "" {
		return t.tornCall()
	}
	if r.cut {
		r.msg.Cut = "limit"
		t.out.warn(event.Notice{
			Code:    "answer_cut",
			Message: fmt.Sprintf("the answer was cut at model.num_predict = %d tokens", t.reserve()),
			Hint:    "say \"go on\", or raise model.num_predict in config.toml",
		})
	}
	if len(r.calls) == 0 && strings.TrimSpace(r.msg.Text) == "" {
		return t.empty()
	}
	if err := t.journal.keep(r.msg); err != nil {
		end := t.ended(ctx, err)
		return &end
	}
	said, silent := t.rules().Deliver(r.msg.Text)
	switch {
	case len(r.calls) > 0:
		if err := t.calls.act(ctx, r.calls); err != nil {
			end := t.ended(ctx, err)
			return &end
		}
		return nil
	case len(r.unknown) > 0:
		return t.unknownInText(r)
	case len(t.calls.done) == 0 && !silent && reply.Claims(r.msg.Text):
		return t.claimed(ctx, r, reply.ClaimNudge, reply.ClaimNote)
	case !silent && !slices.ContainsFunc(t.calls.done, mayKeep) && reply.Promises(r.msg.Text):
		return t.claimed(ctx, r, reply.PromiseNudge, reply.PromiseNote)
	}
	return t.answer(ctx, said, silent)
}

// answer ends the turn with a text, or in silence.
func (t *turn) answer(ctx context.Context, text string, silent bool) *event.End {
	status := Done
	if refusedOnly(t.calls.done) {
		status = RefusedTurn
	}
	end := event.End{Status: status, Answer: t.rules().WithoutDirectives(text), Silent: silent, Files: t.attach(ctx)}
	if status == RefusedTurn {
		last := t.calls.done[len(t.calls.done)-1]
		end.Error = &event.Problem{Code: "refused", Message: fmt.Sprintf("policy refused %s (%s): %s", last.Name, last.Rule, last.Reason)}
	}
	return &end
}

// mayKeep reports whether a call can be what a promised reminder rests on: a job of
// the schedule, or a command whose end wakes the conversation.
func mayKeep(c event.Tool) bool {
	return c.Outcome == string(tools.OK) && slices.Contains([]string{"cron", "exec", "process"}, c.Name)
}

// refusedOnly reports whether a turn called tools and every call was refused.
func refusedOnly(calls []event.Tool) bool {
	for _, c := range calls {
		if c.Outcome != string(tools.Refused) {
			return false
		}
	}
	return len(calls) > 0
}

// tornCall ends the turn at an envelope that the limit cut before anything in it was
// whole: there is nothing to run, to show or to keep.
func (t *turn) tornCall() *event.End {
	p := limitReached("model.num_predict", t.reserve(), "a call (or blanks in its place)")
	p.Message += " before it was whole; nothing of it was run"
	end := t.limit(p)
	return &end
}

// empty handles a reply without text and call: the model is asked once more, with less
// thinking where it thinks, else held to a form, since the same request would bring the
// same answer.
func (t *turn) empty() *event.End {
	if !t.nudgedEmpty {
		t.nudgedEmpty = true
		text := reply.EmptyNudge
		switch t.calm = t.c.Think() != model.ThinkFor(t.c.Info, off); {
		case t.calm:
		case t.c.Info.Enveloped():
			t.held = true // it answers in that form anyway
		default:
			t.held = true
			text += reply.HeldNudge
		}
		return t.nudge(text)
	}
	return &event.End{Status: FailedTurn, Error: &event.Problem{
		Code:    "empty_answer",
		Message: fmt.Sprintf("%s gave an empty answer twice", t.c.Info.Name),
		Hint:    "ask in other words, or try another model: agent model list",
	}}
}

// mostUnread is how often in a row the model may write what can't be read.
const mostUnread = 3

// unreadable handles an answer that the server or its client could not read: the model
// is asked again with a hint, the second time held to a form. It is nil when it has to
// be asked, else how the turn ended.
func (t *turn) unreadable(ctx context.Context, err error) *event.End {
	var m *model.Error
	if !errors.As(err, &m) || m.Code != model.BadCall && m.Code != model.Unreadable || ctx.Err() != nil {
		end := t.ended(ctx, err)
		return &end
	}
	if t.unread++; t.unread < mostUnread {
		text := reply.UnreadNudge
		if t.held = t.unread == mostUnread-1; t.held && !t.c.Info.Enveloped() {
			text += reply.HeldNudge
		}
		return t.nudge(text)
	}
	p := event.ProblemOf(m)
	p.Message = fmt.Sprintf("%s, %d times in a row", p.Message, t.unread)
	p.Hint = "ask in other words or for less at once, or try another model: agent model list"
	return &event.End{Status: FailedTurn, Answer: t.out.shown.String(), Error: p}
}

// claimed handles a claim or a promise that nothing stands behind: one nudge, then
// the person is told.
func (t *turn) claimed(ctx context.Context, r read, nudge, note string) *event.End {
	if !t.nudgedClaim {
		t.nudgedClaim = true
		t.out.text("\n")
		return t.nudge(nudge)
	}
	t.out.text(note)
	return &event.End{Status: Done, Answer: t.rules().WithoutDirectives(r.msg.Text) + note, Files: t.attach(ctx)}
}

// unknownInText handles a text that looks like a call of a tool that does not
// exist: the person never sees the raw form, the model reads the real names.
func (t *turn) unknownInText(r read) *event.End {
	var names []string
	for _, s := range t.a.prompts.Specs(t.form) {
		names = append(names, s.Name)
	}
	if !t.nudgedUnknown {
		t.nudgedUnknown = true
		return t.nudge(fmt.Sprintf("[runtime] There is no tool %s here. The tools are: %s. Use one of them, or answer in words.",
			strings.Join(r.unknown, ", "), strings.Join(names, ", ")))
	}
	return &event.End{Status: FailedTurn, Error: &event.Problem{
		Code:    "unknown_tool",
		Message: fmt.Sprintf("%s keeps calling %s, which does not exist here", t.c.Info.Name, strings.Join(r.unknown, ", ")),
		Hint:    "ask in other words, or try another model: agent model list",
	}}
}

// nudge appends a line of the runtime's own for the model.
func (t *turn) nudge(text string) *event.End {
	if err := t.journal.keep(message.Message{Role: message.User, Text: text}); err != nil {
		end := t.ended(context.Background(), err)
		return &end
	}
	return nil
}

// limit ends the turn at a limit.
func (t *turn) limit(p *event.Problem) event.End {
	return event.End{Status: LimitTurn, Answer: t.out.shown.String(), Error: p}
}

// ended turns an error into the end of the turn.
func (t *turn) ended(ctx context.Context, err error) event.End {
	end := event.End{Status: FailedTurn, Answer: t.out.shown.String()}
	var p *event.Problem
	var m *model.Error
	if cause := context.Cause(ctx); ctx.Err() != nil && errors.As(cause, &p) {
		err = cause
	}
	switch {
	case errors.As(err, &p) && p.Code == "limit":
		end.Status, end.Error = LimitTurn, p
	case errors.As(err, &p) && p.Code == errStopped.Code:
		end.Status, end.Error = Interrupted, p
	case errors.As(err, &p) && p.Code == codeRepeat && refusedOnly(t.calls.done):
		end.Status, end.Error = RefusedTurn, p
	case errors.As(err, &p):
		end.Error = p
	case ctx.Err() != nil:
		end.Status, end.Error = Interrupted, &event.Problem{Code: "interrupted", Message: "interrupted", Hint: errStopped.Hint}
	case errors.As(err, &m):
		end.Status, end.Error = ModelTurn, event.ProblemOf(m)
		if m.Code == "stalled" || m.Code == "first_byte" {
			end.Status = LimitTurn
		}
	default:
		end.Error = event.ProblemOf(err)
	}
	return end
}

// close ends a turn that never began to run.
func (t *turn) close(end event.End) event.End { return t.out.end(t.settle(end)) }

// settle completes the end of a turn and writes its record.
func (t *turn) settle(end event.End) event.End {
	end.Calls = t.calls.done
	if end.Calls == nil {
		end.Calls = []event.Tool{}
	}
	t.cost.usage.Total = t.a.cfg.Now().Sub(t.began).Milliseconds()
	end.Usage = t.cost.usage
	if t.out.turn != "" && len(t.journal.loose) == 0 {
		if err := t.record(end); err != nil {
			t.out.warn(event.Notice{Code: "record", Message: "the turn's record could not be kept: " + err.Error()})
		}
	}
	if t.cost.usage.Requests > 0 {
		last := t.cost.usage
		t.a.last.Store(&last)
	}
	if t.journal.torn || len(t.journal.loose) > 0 { // read it anew, which mends a call without a result
		t.a.sessions.drop(t.ask.Session)
	}
	return end
}
