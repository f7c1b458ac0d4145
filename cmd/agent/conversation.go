package main

import (
	"context"
	"os"
	"sync"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/tools"
)

// talker is what a conversation needs of the agent.
type talker interface {
	Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) (event.End, error)
	Stop(ctx context.Context, session string) (bool, error)
	Answer(ctx context.Context, id, answer, by string) error
}

var _ talker = (*link)(nil)

// conversation carries messages to the agent, shows what happens and puts its
// questions to the person at the terminal.
type conversation struct {
	agent talker
	show  viewer
	voice *term.Voice // for questions; nil when nobody can answer
	tty   *os.File    // where answers are typed

	mu     sync.Mutex // one speaker at a time
	cancel map[string]context.CancelFunc
	asking sync.WaitGroup
}

// attended reports whether a person can answer a question.
func (c *conversation) attended() bool { return c.tty != nil && c.voice != nil }

// turn sends one message and shows its turn to the end.
func (c *conversation) turn(ctx context.Context, ask runtime.Ask) (event.End, error) {
	ask.Attended = c.attended()
	c.cancel = map[string]context.CancelFunc{}
	end, err := c.agent.Turn(ctx, ask, func(e event.Event) { c.event(ctx, e) })
	c.mu.Lock()
	for _, stop := range c.cancel {
		stop()
	}
	c.mu.Unlock()
	c.asking.Wait()
	return end, err
}

// Event shows one event and asks or settles its question.
func (c *conversation) event(ctx context.Context, e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.show.Event(e)
	if !c.attended() || e.Approval == nil {
		return
	}
	id := e.Approval.ID
	if e.Kind == event.ApprovalAnswered {
		if stop := c.cancel[id]; stop != nil {
			stop()
			delete(c.cancel, id)
		}
		return
	}
	term.DropTyped(c.tty)
	c.voice.Ask(*e.Approval, time.Now())
	ctx, stop := context.WithCancel(ctx)
	c.cancel[id] = stop
	c.asking.Go(func() { c.answer(ctx, *e.Approval) })
}

// aside shows an event of a turn that nobody at this terminal began.
func (c *conversation) aside(show viewer, e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	show.Event(e)
}

// answer waits for the person's word on a question and sends it.
func (c *conversation) answer(ctx context.Context, a event.Approval) {
	for {
		line, err := term.ReadAnswer(ctx, c.tty)
		if ctx.Err() != nil {
			return // answered elsewhere, expired, or the turn ended
		}
		answer := term.AnswerOf(line, a.Standing)
		if err != nil {
			answer = string(tools.AnswerDeny)
		}
		if answer == "" {
			c.mu.Lock()
			c.voice.Prompt(a.Standing)
			c.mu.Unlock()
			continue
		}
		if err := c.agent.Answer(ctx, a.ID, answer, "terminal"); err != nil && ctx.Err() == nil {
			p, _ := judge(err)
			c.mu.Lock()
			c.voice.Problem(p)
			c.mu.Unlock()
		}
		return
	}
}

// viewer is what shows the events of a turn: a voice, or lines of JSON.
type viewer interface{ Event(e event.Event) }
