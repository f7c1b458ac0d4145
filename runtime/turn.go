package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
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

	form     form
	task     *Task // of a sub-agent, nil in the agent's own sessions
	c        choice
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
	ask.Session = a.own(ask.Session)
	if ask.Run == "" {
		ask.Run = string(assembly.Chat)
	}
	t := a.newTurn(ask, sink)
	if session.IsSub(ask.Session) || ask.Run == subRun {
		return t.close(event.End{Status: FailedTurn, Error: notYours(ask.Session)})
	}
	return t.through(ctx)
}

// newTurn is a turn of the agent's own sessions that has not begun.
func (a *Agent) newTurn(ask Ask, sink func(event.Event)) *turn {
	ask.Text = a.cfg.Masker.Redact(ask.Text)
	return &turn{a: a, ask: ask, form: whole, sink: sink, began: a.cfg.Now(), reps: reply.NewRepeats()}
}

// through takes a turn from its check to its last event.
func (t *turn) through(ctx context.Context) event.End {
	a, ask := t.a, t.ask
	if p := ask.Check(a.now().Limits.MaxQuestion); p != nil {
		return t.close(event.End{Status: FailedTurn, Error: p})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, err := a.begin(ctx, ask.Session, ask.Run == string(assembly.Chat), cancel)
	if err != nil {
		return t.close(t.ended(ctx, err))
	}
	if p := a.mayWake(ask); p != nil {
		a.finish(ask.Session, r)
		return t.close(event.End{Status: FailedTurn, Error: p})
	}
	a.Cool()
	if !session.IsSub(ask.Session) {
		a.warm.Used(ask.Session)
	}
	end := t.settle(t.run(ctx))
	a.finish(ask.Session, r) // before the last event: who reads it finds no turn to stop
	return t.tell(end)
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
		a.warm.TakeSlot(ctx, a.filling(t.c, t.prefix.System, t.prefix.Offers, nil))
	}
	return t.loop(ctx)
}

// open takes the message in: session, model, frozen prefix, then the message
// itself, stored.
func (t *turn) open(ctx context.Context) error {
	s, err := t.a.session(t.ask.Session)
	if err != nil {
		return err
	}
	if err := t.lookBack(s); err != nil {
		return err
	}
	t.s, t.show = s, t.a.shows(s)
	if t.ask.Run == string(assembly.Chat) && !session.IsSub(t.ask.Session) {
		if err := s.Keep(keyWoken, ""); err != nil {
			return err
		}
	}
	if t.c, err = t.a.choose(ctx, s); err != nil {
		return err
	}
	if err := t.grant(); err != nil {
		return err
	}
	if frozen, ok := s.Frozen(); ok {
		t.hadModel = frozen.Model
	}
	var notices []event.Notice
	if t.prefix, notices, err = t.a.prefix(ctx, s, t.c, t.form, t.about()); err != nil {
		return err
	}
	t.id = s.NextTurn()
	news, err := t.news()
	if err != nil {
		return err
	}
	text, err := t.userText(ctx, news)
	if err != nil {
		return err
	}
	t.start = len(s.Messages())
	if err := t.keep(message.Message{Role: message.User, Text: text}); err != nil {
		return err
	}
	t.emit(event.Event{Kind: event.TurnStart, Start: &event.Start{
		Agent: t.a.cfg.ID, Run: t.ask.Run, Text: t.ask.Text, Model: t.c.info.Name,
	}})
	due, err := due(s)
	if err != nil {
		return err
	}
	for _, n := range slices.Concat(t.before.notices, due, notices) {
		t.warn(n)
	}
	t.toldNews(news)
	return nil
}

// userText is the message with this turn's context at its tail, as it is stored
// and sent. A fact is told once, when it is new.
func (t *turn) userText(ctx context.Context, news news) (string, error) {
	files := t.a.files(t.form)
	var fresh []assembly.Changed
	var names []string
	for _, c := range changed(t.prefix.Files, files) {
		told, err := t.s.Told("file:"+c.Name, c.Now)
		if err != nil {
			return "", err
		}
		if !told {
			fresh = append(fresh, c)
			names = append(names, fmt.Sprintf("%s (%.12s, now %.12s)", c.Name, c.Frozen, c.Now))
		}
	}
	if len(fresh) > 0 {
		t.warn(event.Notice{
			Code:    "file_changed",
			Message: "changed since this session's prompt was built: " + strings.Join(names, ", "),
			Hint:    "it enters with the next session: /new, or agent ask --new",
		})
	}
	facts, tags, err := t.facts(ctx)
	if err != nil {
		return "", err
	}
	at, err := t.envelope()
	if err != nil {
		return "", err
	}
	in := t.a.input(t.c, files, t.form)
	in.Turn = assembly.Turn{Time: at, Run: assembly.Run(t.ask.Run), Changed: fresh, Facts: facts, Tags: tags, Shortened: shortened(t.prefix.Report)}
	if in.Turn.Plan, err = t.newPlan(); err != nil {
		return "", err
	}
	if in.Turn.Snippets, err = t.appended(ctx); err != nil {
		return "", err
	}
	if t.task != nil {
		in.Turn.Run, in.Turn.Extra = assembly.Chat, t.task.Context
	}
	news.into(&in.Turn)
	tail, parts, err := assembly.RenderTurn(in)
	if err != nil {
		return "", fmt.Errorf("assemble the turn context: %w", err)
	}
	t.warnCut(parts)
	return t.a.cfg.Masker.Redact(assembly.Attach(t.ask.Text, tail)), nil
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
