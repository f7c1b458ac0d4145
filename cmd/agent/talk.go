package main

import (
	"context"
	"io"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// A link talks like the client behind it; when the process that held the agent
// has ended since the last word, it finds or becomes its successor.

var (
	_ talker  = (*link)(nil)
	_ keeper  = (*link)(nil)
	_ judger  = (*link)(nil)
	_ auditor = (*link)(nil)
)

// again does what has no effect of its own once more when the agent went away.
func again[T any](ctx context.Context, l *link, f func() (T, error)) (T, error) {
	out, err := f()
	if err == nil || !l.gone(err) {
		return out, err
	}
	if err := l.find(ctx); err != nil {
		return out, err
	}
	return f()
}

// Turn runs a turn. It is tried a second time only when nothing of it was heard.
func (l *link) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) (event.End, error) {
	heard := false
	end, err := l.Client.Turn(ctx, ask, func(e event.Event) {
		heard = true
		sink(e)
	})
	if err != nil && !heard && l.gone(err) {
		if err := l.find(ctx); err != nil {
			return event.End{}, err
		}
		return l.Client.Turn(ctx, ask, sink)
	}
	return end, err
}

// Stop ends the turn that runs in a conversation.
func (l *link) Stop(ctx context.Context, session string) (bool, error) {
	return l.Client.Stop(ctx, session)
}

// Answer gives a person's word on a question.
func (l *link) Answer(ctx context.Context, id, answer, by string) error {
	return l.Client.Answer(ctx, id, answer, by)
}

// Reset starts a conversation anew.
func (l *link) Reset(ctx context.Context, session string) error {
	_, err := again(ctx, l, func() (struct{}, error) { return struct{}{}, l.Client.Reset(ctx, session) })
	return err
}

// Adjust sets what a conversation has of its own.
func (l *link) Adjust(ctx context.Context, ch runtime.Change) (runtime.Settings, error) {
	return again(ctx, l, func() (runtime.Settings, error) { return l.Client.Adjust(ctx, ch) })
}

// Status is what an agent tells of itself.
func (l *link) Status(ctx context.Context, agent string) (runtime.Status, error) {
	return again(ctx, l, func() (runtime.Status, error) { return l.Client.Status(ctx, agent) })
}

// View gives a prompt to look at.
func (l *link) View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error) {
	return again(ctx, l, func() (runtime.View, error) { return l.Client.View(ctx, q) })
}

// Judge asks what policy would say of a tool call.
func (l *link) Judge(ctx context.Context, q gateway.JudgeQuery) (policy.Explanation, error) {
	return again(ctx, l, func() (policy.Explanation, error) { return l.Client.Judge(ctx, q) })
}

// AuditTail is the last n audit records, oldest first.
func (l *link) AuditTail(ctx context.Context, n int) ([]policy.Record, error) {
	return again(ctx, l, func() ([]policy.Record, error) { return l.Client.AuditTail(ctx, n) })
}

// AuditVerify checks the whole audit chain.
func (l *link) AuditVerify(ctx context.Context) (store.AuditReport, error) {
	return again(ctx, l, func() (store.AuditReport, error) { return l.Client.AuditVerify(ctx) })
}

// AuditShow is one audit record.
func (l *link) AuditShow(ctx context.Context, seq uint64) (policy.Record, error) {
	return again(ctx, l, func() (policy.Record, error) { return l.Client.AuditShow(ctx, seq) })
}

// AuditExport writes the lines of the audit. It is not tried again, since a part
// of them may be out.
func (l *link) AuditExport(ctx context.Context, w io.Writer) error {
	return l.Client.AuditExport(ctx, w)
}

// Grants lists the standing permissions.
func (l *link) Grants(ctx context.Context) ([]approval.Grant, error) {
	return again(ctx, l, func() ([]approval.Grant, error) { return l.Client.Grants(ctx) })
}

// Revoke takes a standing permission back.
func (l *link) Revoke(ctx context.Context, digest string) (approval.Grant, error) {
	return l.Client.Revoke(ctx, digest)
}

// Record is the record of a turn.
func (l *link) Record(ctx context.Context, id, turn string) (session.TurnRecord, error) {
	return again(ctx, l, func() (session.TurnRecord, error) { return l.Client.Record(ctx, id, turn) })
}

// Sessions lists the conversations that are stored.
func (l *link) Sessions(ctx context.Context) ([]store.SessionInfo, error) {
	return again(ctx, l, func() ([]store.SessionInfo, error) { return l.Client.Sessions(ctx) })
}

// Jobs lists an agent's commands in the background.
func (l *link) Jobs(ctx context.Context, agent string) ([]tools.JobRecord, error) {
	return again(ctx, l, func() ([]tools.JobRecord, error) { return l.Client.Jobs(ctx, agent) })
}

// JobLog gives lines of a command's output.
func (l *link) JobLog(ctx context.Context, q gateway.JobQuery) (tools.JobText, error) {
	return again(ctx, l, func() (tools.JobText, error) { return l.Client.JobLog(ctx, q) })
}

// EndJob ends a command. With the process that held the agent its commands have ended.
func (l *link) EndJob(ctx context.Context, q gateway.JobQuery) (tools.JobRecord, error) {
	return l.Client.EndJob(ctx, q)
}
