package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/reply"
	"hardshell/tools"
)

// act runs the calls of one reply in their order; each gets exactly one result,
// stored as soon as it exists.
func (t *turn) act(ctx context.Context, calls []message.Call) error {
	for i, c := range calls {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), t.skip(calls[i:], "skipped: the turn was stopped before this call ran; nothing happened"))
		}
		if len(t.calls) >= t.a.now().Limits.MaxCalls {
			p := limitReached("turn.max_calls", t.a.now().Limits.MaxCalls, "the number of tool calls")
			return errors.Join(p, t.skip(calls[i:], "skipped: "+p.Message))
		}
		if err := t.call(ctx, c); err != nil {
			return errors.Join(err, t.skip(calls[i+1:], "skipped: the turn ended before this call ran; nothing happened"))
		}
	}
	return nil
}

// skip stores a result for calls that were not run, so that pairs stay whole.
func (t *turn) skip(calls []message.Call, text string) error {
	for _, c := range calls {
		if err := t.keep(message.Message{Role: message.Tool, Text: text, CallID: c.ID, ToolName: c.Name}); err != nil {
			return err
		}
	}
	return nil
}

// call takes one call through the door.
func (t *turn) call(ctx context.Context, c message.Call) error {
	t.emit(event.Event{Kind: event.ToolStart, Tool: &event.Tool{ID: c.ID, Name: c.Name, Args: c.Args}})
	in := reply.Identity(c.Name, t.a.effective(c))
	var res tools.Result
	if t.reps.Blocked(in) {
		res = tools.Result{Outcome: tools.Refused, Text: reply.RepeatRefusal(c.Name)}
		res.Decision.Rule, res.Decision.Reason = "loop.repeat", "the same call brought the same result again and again"
	} else {
		var err error
		res, err = t.a.cfg.Tools.Call(ctx, t.origin(), tools.Call{ID: c.ID, Name: c.Name, Args: c.Args}, func(text string) {
			t.emit(event.Event{Kind: event.ToolUpdate, Tool: &event.Tool{ID: c.ID, Name: c.Name, Text: text}})
		})
		switch {
		case full(err) && res.Text == "":
			res = tools.Result{Outcome: tools.Refused, Text: "refused: nothing can be put on record while the disk is full, so nothing is done; tell the person"}
			res.Decision.Rule, res.Decision.Reason = "record.disk-full", "nothing can be put on record while the disk is full"
		case full(err): // it was done, and only the record of it failed
			res.Text += "\n[done, but the disk is full and the record of it could not be kept]"
		case err != nil:
			text := "failed: " + err.Error()
			if res.Text != "" { // it was done, and only the record of it failed
				text = res.Text + "\n[" + err.Error() + "]"
			}
			return errors.Join(err, t.skip([]message.Call{c}, text))
		}
		res.Text = harmless(res.Text)
		if res.Waited {
			t.reps.Forget()
		} else if n := t.reps.Saw(in, res.Text); n >= reply.RepeatWarn {
			res.Text += reply.RepeatNote(n)
		}
	}
	done := event.Tool{
		ID: c.ID, Name: c.Name, Args: c.Args, Text: res.Text, Outcome: string(res.Outcome),
		Rule: res.Decision.Rule, Reason: res.Decision.Reason, Millis: res.Took.Milliseconds(),
	}
	if res.Outcome != tools.Unknown && res.Outcome != tools.Invalid {
		done.Verdict = res.Decision.Verdict.String()
	}
	t.calls = append(t.calls, done)
	t.emit(event.Event{Kind: event.ToolEnd, Tool: &done})
	return t.keep(message.Message{Role: message.Tool, Text: res.Text, CallID: c.ID, ToolName: c.Name})
}

// origin says on whose behalf the turn calls tools.
func (t *turn) origin() tools.Origin {
	return tools.Origin{
		Agent: t.a.cfg.ID, Session: t.ask.Session, Turn: t.id, Run: t.ask.Run, Attended: t.ask.Attended,
		Only: t.form.tools,
	}
}

// harmless is a tool's result without the marks of chat templates, and says so where
// there were any.
func harmless(text string) string {
	safe := assembly.HarmlessResult(text)
	if safe != text {
		safe = strings.TrimRight(safe, "\n") + "\n[marks of chat templates in it are shown with a blank behind their bracket]"
	}
	return safe
}

// effective is a call's arguments as its tool would see them, so that a cosmetic
// field does not make a repeated call look new.
func (a *Agent) effective(c message.Call) json.RawMessage {
	for _, s := range a.cfg.Tools.Specs() {
		if s.Name == c.Name {
			if args, _, err := tools.Repair(s.Schema, c.Args); err == nil {
				return args
			}
		}
	}
	return c.Args
}
