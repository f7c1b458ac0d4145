package runtime

import (
	"context"
	"slices"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/message"
	"hardshell/runtime/prompt"
	"hardshell/runtime/reply"
	"hardshell/runtime/session"
	"hardshell/tools"
	"hardshell/tools/text"
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
	a *Agent
	transcript
	ask   Ask
	began time.Time

	out     *events
	journal *journal
	cost    *cost
	calls   *caller

	task     *Task    // of a sub-agent, nil in the agent's own sessions
	hadModel string   // what the prompt before this turn spoke of
	show     string   // what is shown of the thinking
	files    []string // that its answers name
	before   cutShort // how the turn before ended

	nudgedClaim, nudgedEmpty, nudgedUnknown bool
	unread                                  int  // answers in a row that could not be read
	calm, held                              bool // the next request asks for less thinking, or for an answer in a form
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
	ask.Text = a.cfg.Redactor.Redact(ask.Text)
	out := &events{session: ask.Session, sink: sink, now: a.cfg.Now, log: a.cfg.Log}
	kept := &journal{out: out}
	spent := &cost{ledger: a.ledger, saw: a.warm.Saw, warnOnce: func() bool { return a.sessions.warnOnce(ask.Session) }, out: out}
	return &turn{
		a: a, ask: ask, began: a.cfg.Now(), out: out, journal: kept, cost: spent,
		transcript: transcript{form: prompt.Whole(), compactor: a.compact, out: out},
		calls:      &caller{door: a.cfg.Tools, out: out, journal: kept, cost: spent, reps: reply.NewRepeats()},
	}
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
	return t.out.end(end)
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
		limitReached("turn.max_time", text.Span(a.now().Limits.MaxTime), "the turn"))
	defer stop()
	if err := t.open(ctx); err != nil {
		return t.ended(ctx, err)
	}
	watch := t.ask.Session + "/" + t.out.turn
	a.cfg.Approvals.Join(watch, t.out.emit)
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
	t.s, t.journal.s, t.show = s, s, t.a.models.shows(s)
	if t.ask.Run == string(assembly.Chat) && !session.IsSub(t.ask.Session) {
		if err := s.Keep(keyWoken, ""); err != nil {
			return err
		}
	}
	if t.c, err = t.a.models.choose(ctx, s); err != nil {
		return err
	}
	if t.task != nil {
		if t.form, err = t.task.form(s, t.a.prompts.ForSub().Tools); err != nil {
			return err
		}
	}
	if frozen, ok := s.Frozen(); ok {
		t.hadModel = frozen.Model
	}
	var notices []event.Notice
	if t.prefix, notices, err = t.a.prompts.Prefix(ctx, s, t.c, t.form, t.about()); err != nil {
		return err
	}
	t.out.turn = s.NextTurn()
	t.who, t.cost.family = t.about(), t.c.Info.Family
	t.calls.model, t.calls.most = t.c.Info.Name, t.a.now().Limits.MaxCalls
	t.calls.from = tools.Origin{
		Agent: t.a.cfg.ID, Session: t.ask.Session, Turn: t.out.turn, Run: t.ask.Run, Attended: t.ask.Attended, Only: t.form.Tools,
	}
	msg, err := t.a.prompts.Message(ctx, t.opening())
	for _, n := range msg.Notices {
		t.out.warn(n)
	}
	if err != nil {
		return err
	}
	t.start = len(s.Messages())
	if err := t.journal.keep(message.Message{Role: message.User, Text: msg.Text}); err != nil {
		return err
	}
	t.out.emit(event.Event{Kind: event.TurnStart, Start: &event.Start{
		Agent: t.a.cfg.ID, Run: t.ask.Run, Text: t.ask.Text, Model: t.c.Info.Name,
	}})
	due, err := prompt.Due(s)
	if err != nil {
		return err
	}
	for _, n := range slices.Concat(t.before.notices, due, notices, t.a.prompts.Delivered(msg)) {
		t.out.warn(n)
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
	who.Turn = t.out.turn
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
