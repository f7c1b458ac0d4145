package runtime

import (
	"context"
	"slices"
	"strings"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/message"
	"hardshell/runtime/prompt"
	"hardshell/runtime/reply"
	"hardshell/runtime/session"
	"hardshell/tools/span"
)

// Statuses of a finished turn.
const (
	Done        = "done"
	FailedTurn  = "failed"
	RefusedTurn = "refused" // policy refused what was asked and nothing else was done
	LimitTurn   = "limit"
	Interrupted = "interrupted"
	ModelTurn   = "model" // the model server or the model is not there
)

// turn is one turn while it runs.
type turn struct {
	a     *Agent
	s     *session.Session
	ask   Ask
	id    string
	start int // place of the message that opened this turn, in s.Messages
	began time.Time
	sink  func(event.Event)

	form     prompt.Form
	task     *Task // of a sub-agent, nil in the agent's own sessions
	c        prompt.Choice
	hadModel string   // what the prompt before this turn spoke of
	show     string   // what is shown of the thinking
	files    []string // that its answers name
	prefix   session.Prefix
	before   cutShort          // how the turn before ended
	loose    []message.Message // what a full disk could not take
	torn     bool              // a message could not be stored for another reason
	usage    event.Usage
	requests []RequestReport
	calls    []event.Tool
	reps     *reply.Repeats
	shown    strings.Builder // text that the person has seen of this turn's answers

	nudgedClaim, nudgedEmpty, nudgedUnknown bool
	unread                                  int  // answers in a row that could not be read
	calm, held                              bool // the next request asks for less thinking, or for an answer in a form
	unknownReuse                            bool
}

// Turn takes one message, runs until an answer, a limit or a block, and returns
// how it ended. Events go to sink in order, the last is turn.end. The message is
// stored before the model sees it; what the model said is kept whatever happens
// next.
func (a *Agent) Turn(ctx context.Context, ask Ask, sink func(event.Event)) event.End {
	ask.Session = a.sessions.own(ask.Session)
	if ask.Run == "" {
		ask.Run = string(assembly.Chat)
	}
	t := a.newTurn(ask, sink)
	if session.IsSub(ask.Session) || ask.Run == prompt.SubRun {
		return t.close(event.End{Status: FailedTurn, Error: notYours(ask.Session)})
	}
	return t.through(ctx)
}

// newTurn is a turn of the agent's own sessions that has not begun.
func (a *Agent) newTurn(ask Ask, sink func(event.Event)) *turn {
	ask.Text = a.cfg.Masker.Redact(ask.Text)
	return &turn{a: a, ask: ask, form: prompt.Whole(), sink: sink, began: a.cfg.Now(), reps: reply.NewRepeats()}
}

// through takes a turn from its check to its last event.
func (t *turn) through(ctx context.Context) event.End {
	a, ask := t.a, t.ask
	if p := ask.Check(a.now().Limits.MaxQuestion); p != nil {
		return t.close(event.End{Status: FailedTurn, Error: p})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, err := a.queue.begin(ctx, ask.Session, ask.Run == string(assembly.Chat), cancel)
	if err != nil {
		return t.close(t.ended(ctx, err))
	}
	if p := a.mayWake(ask); p != nil {
		t.leave(r)
		return t.close(event.End{Status: FailedTurn, Error: p})
	}
	a.Cool()
	if !session.IsSub(ask.Session) {
		a.warm.Used(ask.Session)
	}
	end := t.settle(t.run(ctx))
	t.leave(r) // before the last event: who reads it finds no turn to stop
	return t.tell(end)
}

// leave lets the next turn of the session begin. What this one means for the prompt is
// read while nobody talks.
func (t *turn) leave(r *runningTurn) {
	t.a.queue.finish(t.ask.Session, r)
	t.a.warm.Kick()
}

// run is the turn from its message to its end.
func (t *turn) run(ctx context.Context) event.End {
	a := t.a
	ctx, stop := context.WithTimeoutCause(ctx, a.now().Limits.MaxTime,
		limitReached("turn.max_time", span.String(a.now().Limits.MaxTime), "the turn"))
	defer stop()
	if err := t.open(ctx); err != nil {
		return t.ended(ctx, err)
	}
	watch := t.ask.Session + "/" + t.id
	a.cfg.Approvals.Join(watch, t.emit)
	defer a.cfg.Approvals.Leave(watch)
	if t.task != nil {
		a.warm.TakeSlot(ctx, a.prompts.Request(t.c, t.prefix.System, t.prefix.Offers, nil))
	}
	return t.loop(ctx)
}

// open takes the message in: session, model, frozen prefix, then the message
// itself, stored.
func (t *turn) open(ctx context.Context) error {
	s, err := t.a.sessions.get(t.ask.Session)
	if err != nil {
		return err
	}
	if err := t.lookBack(s); err != nil {
		return err
	}
	t.s, t.show = s, t.a.models.shows(s)
	if t.ask.Run == string(assembly.Chat) && !session.IsSub(t.ask.Session) {
		if err := s.Keep(keyWoken, ""); err != nil {
			return err
		}
	}
	if t.c, err = t.a.models.choose(ctx, s); err != nil {
		return err
	}
	if err := t.grant(); err != nil {
		return err
	}
	if frozen, ok := s.Frozen(); ok {
		t.hadModel = frozen.Model
	}
	var notices []event.Notice
	if t.prefix, notices, err = t.a.prompts.Prefix(ctx, s, t.c, t.form, t.about()); err != nil {
		return err
	}
	t.id = s.NextTurn()
	msg, err := t.a.prompts.Message(ctx, t.opening())
	for _, n := range msg.Notices {
		t.warn(n)
	}
	if err != nil {
		return err
	}
	t.start = len(s.Messages())
	if err := t.keep(message.Message{Role: message.User, Text: msg.Text}); err != nil {
		return err
	}
	t.emit(event.Event{Kind: event.TurnStart, Start: &event.Start{
		Agent: t.a.cfg.ID, Run: t.ask.Run, Text: t.ask.Text, Model: t.c.Info.Name,
	}})
	due, err := prompt.Due(s)
	if err != nil {
		return err
	}
	for _, n := range slices.Concat(t.before.notices, due, notices, t.a.prompts.Delivered(msg)) {
		t.warn(n)
	}
	return nil
}

// opening is the turn as its message is made.
func (t *turn) opening() prompt.Opening {
	o := prompt.Opening{
		Session: t.s, About: t.about(), Text: t.ask.Text, Began: t.began, Spoke: t.a.sessions.spoke(t.ask.Session, t.began),
		Choice: t.c, Form: t.form, Prefix: t.prefix, HadModel: t.hadModel, Fact: t.before.fact,
	}
	if t.task != nil {
		o.Context = t.task.Context
	}
	return o
}

// about is what hooks are told of this turn.
func (t *turn) about() hooks.About {
	who := t.a.prompts.About(t.ask.Session, t.ask.Run)
	who.Turn = t.id
	return who
}

// loop runs requests until the turn ends.
func (t *turn) loop(ctx context.Context) event.End {
	for step := 1; ; step++ {
		if step > t.a.now().Limits.MaxSteps {
			return t.limit(limitReached("turn.max_steps", t.a.now().Limits.MaxSteps, "the number of model requests"))
		}
		if err := t.fit(ctx); err != nil {
			return t.ended(ctx, err)
		}
		rep, err := t.request(ctx)
		if err != nil {
			if end := t.unreadable(ctx, err); end != nil {
				return *end
			}
			continue
		}
		t.unread = 0
		if end := t.take(ctx, rep); end != nil {
			return *end
		}
	}
}
