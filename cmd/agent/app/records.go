package app

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"hardshell/policy"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/store"
)

// What the agent of this process keeps, as the gateway serves it.

// Answer gives a person's word on an open question.
func (a *service) Answer(id, answer, by string) error { return a.approvals.Answer(id, answer, by) }

// Grants lists the standing permissions.
func (a *service) Grants() []approval.Grant { return a.approvals.Grants() }

// Revoke takes a standing permission back, and puts that on record.
func (a *service) Revoke(digest string) (approval.Grant, error) {
	g, err := a.approvals.Revoke(digest)
	if err != nil {
		return g, err
	}
	err = a.store.Audit.Record(context.Background(), policy.Record{
		Kind: "note", Agent: cmp.Or(g.Agent, event.MainAgent), Run: "person", Tool: g.Tool, Subject: "permission taken back: " + g.Subject, Digest: g.Digest,
	})
	if err != nil {
		return g, fmt.Errorf("the permission was taken back, and that can't be put on record: %w", err)
	}
	return g, nil
}

// Sessions lists the conversations that are stored.
func (a *service) Sessions() ([]store.SessionInfo, error) { return a.store.Sessions.List() }

// AuditTail is the last n audit records.
func (a *service) AuditTail(n int) ([]policy.Record, error) { return a.store.Audit.Tail(n) }

// AuditVerify checks the audit.
func (a *service) AuditVerify() (store.AuditReport, error) { return a.store.Audit.Verify() }

// AuditShow is one audit record.
func (a *service) AuditShow(seq uint64) (policy.Record, error) {
	rec, ok, err := a.store.Audit.Show(seq)
	if err == nil && !ok {
		err = &event.Problem{
			Code: "no_record", Message: fmt.Sprintf("the audit has no record %d", seq),
			Hint: "agent audit tail shows the newest with their numbers",
		}
	}
	return rec, err
}

// AuditExport writes the lines of the audit.
func (a *service) AuditExport(w io.Writer) error { return a.store.Audit.Export(w) }
