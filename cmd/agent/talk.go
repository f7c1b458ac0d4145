package main

import (
	"context"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

// A link talks like the client behind it; when the process that held the agent
// has ended since the last word, it finds or becomes its successor.

var (
	_ talker  = (*link)(nil)
	_ keeper  = (*link)(nil)
	_ judger  = (*link)(nil)
	_ auditor = (*link)(nil)
)

// Turn runs a turn. It is tried a second time only when nothing of it was heard.
func (l *link) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) (event.End, error) {
	heard := false
	end, err := l.client.Turn(ctx, ask, func(e event.Event) {
		heard = true
		sink(e)
	})
	if err != nil && !heard && l.gone(err) {
		if err := l.find(ctx); err != nil {
			return event.End{}, err
		}
		return l.client.Turn(ctx, ask, sink)
	}
	return end, err
}

// Stop ends the turn that runs in a conversation.
func (l *link) Stop(ctx context.Context, session string) (bool, error) {
	return l.client.Stop(ctx, session)
}

// Answer gives a person's word on a question.
func (l *link) Answer(ctx context.Context, id, answer, by string) error {
	return l.client.Answer(ctx, id, answer, by)
}

// Reset starts a conversation anew.
func (l *link) Reset(ctx context.Context, session string) error {
	return again(ctx, l, func() error { return l.client.Reset(ctx, session) })
}

// Adjust sets what a conversation has of its own.
func (l *link) Adjust(ctx context.Context, ch runtime.Change) (now runtime.Settings, err error) {
	err = again(ctx, l, func() error {
		now, err = l.client.Adjust(ctx, ch)
		return err
	})
	return now, err
}

// Status is what an agent tells of itself.
func (l *link) Status(ctx context.Context, agent string) (st runtime.Status, err error) {
	err = again(ctx, l, func() error {
		st, err = l.client.Status(ctx, agent)
		return err
	})
	return st, err
}

// View gives a prompt to look at.
func (l *link) View(ctx context.Context, q runtime.ViewQuery) (v runtime.View, err error) {
	err = again(ctx, l, func() error {
		v, err = l.client.View(ctx, q)
		return err
	})
	return v, err
}

// again does what has no effect of its own once more when the agent went away.
func again(ctx context.Context, l *link, f func() error) error {
	err := f()
	if err == nil || !l.gone(err) {
		return err
	}
	if err := l.find(ctx); err != nil {
		return err
	}
	return f()
}

// Judge asks what policy would say of a tool call.
func (l *link) Judge(ctx context.Context, q gateway.JudgeQuery) (x policy.Explanation, err error) {
	err = again(ctx, l, func() error {
		x, err = l.client.Judge(ctx, q)
		return err
	})
	return x, err
}

// AuditTail is the last n audit records, oldest first.
func (l *link) AuditTail(ctx context.Context, n int) (recs []policy.Record, err error) {
	err = again(ctx, l, func() error {
		recs, err = l.client.AuditTail(ctx, n)
		return err
	})
	return recs, err
}

// AuditVerify checks the whole audit chain.
func (l *link) AuditVerify(ctx context.Context) (rep store.AuditReport, err error) {
	err = again(ctx, l, func() error {
		rep, err = l.client.AuditVerify(ctx)
		return err
	})
	return rep, err
}
