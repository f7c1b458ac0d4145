package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/reply"
	"hardshell/tools"
	"hardshell/tools/args"
)

// caller takes the calls of one turn through the door.
type caller struct {
	door    Tools
	from    tools.Origin // on whose behalf
	model   string       // who calls, for a person
	most    int          // calls in the turn (turn.max_calls)
	out     *events
	journal *journal
	cost    *cost
	reps    *reply.Repeats
	done    []event.Tool // the calls so far, with their results
}

// number names calls, behind those of the turn that were made before.
func (k *caller) number(calls []message.Call) {
	for i := range calls {
		calls[i].ID = fmt.Sprintf("%s.%d", k.out.turn, len(k.done)+i+1)
	}
}

// act runs the calls of one reply in their order; each gets exactly one result,
// stored as soon as it exists.
func (k *caller) act(ctx context.Context, calls []message.Call) error {
	for i, c := range calls {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), k.journal.skip(calls[i:], "skipped: the turn was stopped before this call ran; nothing happened"))
		}
		if len(k.done) >= k.most {
			p := limitReached("turn.max_calls", k.most, "the number of tool calls")
			return errors.Join(p, k.journal.skip(calls[i:], "skipped: "+p.Message))
		}
		if err := k.call(ctx, c); err != nil {
			return errors.Join(err, k.journal.skip(calls[i+1:], "skipped: the turn ended before this call ran; nothing happened"))
		}
	}
	return nil
}

// call takes one call through the door.
func (k *caller) call(ctx context.Context, c message.Call) error {
	k.out.emit(event.Event{Kind: event.ToolStart, Tool: &event.Tool{ID: c.ID, Name: c.Name, Args: c.Args}})
	in := reply.Identity(c.Name, effective(k.door.Specs(), c))
	var res tools.Result
	if k.reps.Blocked(in) && !slices.Contains(looking, c.Name) {
		res = refusedRepeat(c.Name)
	} else {
		var err error
		res, err = k.door.Call(ctx, k.from, tools.Call{ID: c.ID, Name: c.Name, Args: c.Args}, func(text string) {
			k.out.emit(event.Event{Kind: event.ToolUpdate, Tool: &event.Tool{ID: c.ID, Name: c.Name, Text: text}})
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
			return errors.Join(err, k.journal.skip([]message.Call{c}, text))
		}
		res.Text = harmless(res.Text)
		res = k.counted(in, c.Name, res)
	}
	var loop *event.Problem
	if res.Decision.Rule == repeatRule && k.reps.Refuse(k.cost.usage.Requests) {
		loop = repeating(k.model, c.Name)
	}
	done := event.Tool{
		ID: c.ID, Name: c.Name, Args: c.Args, Text: res.Text, Outcome: string(res.Outcome),
		Rule: res.Decision.Rule, Reason: res.Decision.Reason, Millis: res.Took.Milliseconds(),
	}
	if res.Outcome != tools.Unknown && res.Outcome != tools.Invalid {
		done.Verdict = res.Decision.Verdict.String()
	}
	k.done = append(k.done, done)
	k.out.emit(event.Event{Kind: event.ToolEnd, Tool: &done})
	if err := k.journal.keep(message.Message{Role: message.Tool, Text: res.Text, CallID: c.ID, ToolName: c.Name}); err != nil || loop == nil {
		return err
	}
	return loop
}

// repeatRule names the refusal of a call that brings the same again and again.
const repeatRule = "loop.repeat"

// looking are the tools that change nothing: one look more harms nothing, and only it
// can tell whether what is looked at has moved.
var looking = []string{"read", "sensors", "session_status", "memory_search", "memory_get", "i2c", "serial", "subagents"}

// refusedRepeat is the result of a call that brings the same again and again.
func refusedRepeat(tool string) tools.Result {
	res := tools.Result{Outcome: tools.Refused, Text: reply.RepeatRefusal(tool)}
	res.Decision.Rule, res.Decision.Reason = repeatRule, "the same call brought the same result again and again"
	return res
}

// counted is a result as the model gets it: an old one says so, and a look that shows
// the same again and again is refused as any other call is.
func (k *caller) counted(in [32]byte, tool string, res tools.Result) tools.Result {
	if res.Waited {
		k.reps.Forget()
		return res
	}
	look := slices.Contains(looking, tool)
	if res.Outcome == tools.OK && !look && tool != "process" && !k.reps.Known(in) {
		k.reps.News()
	}
	text, blocked := res.Text, k.reps.Blocked(in)
	if res.Outcome == tools.Refused { // whose words may hold a time or the number of a question
		text = "refused by " + res.Decision.Rule
	}
	n := k.reps.Saw(in, text)
	if blocked && n > 1 {
		return refusedRepeat(tool)
	}
	res.Text += reply.RepeatNote(n)
	return res
}

// repeating is the problem of a model that goes on in circles.
func repeating(model, tool string) *event.Problem {
	return &event.Problem{
		Code:    codeRepeat,
		Message: fmt.Sprintf("stopped: %s went on calling %s with the same arguments, which brought the same result each time", model, tool),
		Hint:    "ask in other words, or say what else it should try; what was found so far is kept",
	}
}

// codeRepeat is the code of that problem.
const codeRepeat = "repeat"

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
func effective(specs []tools.Spec, c message.Call) json.RawMessage {
	for _, s := range specs {
		if s.Name == c.Name {
			if args, _, err := args.Repair(s.Schema, c.Args); err == nil {
				return args
			}
		}
	}
	return c.Args
}
