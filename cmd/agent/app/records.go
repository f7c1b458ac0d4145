package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"hardshell/policy/audit"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

// What the agent of this process keeps, as the gateway serves it.

// Answer gives a person's word on an open question.
func (a *service) Answer(_ context.Context, w gateway.Word) error {
	return a.approvals.Answer(w.ID, w.Answer, w.By)
}

// Grants lists the standing permissions.
func (a *service) Grants(context.Context, gateway.All) ([]approval.Grant, error) {
	return a.approvals.Grants(), nil
}

// Revoke takes a standing permission back, and puts that on record.
func (a *service) Revoke(ctx context.Context, digest string) (approval.Grant, error) {
	g, err := a.approvals.Revoke(digest)
	if err != nil {
		return g, err
	}
	err = a.store.Audit.Record(context.WithoutCancel(ctx), audit.Line{
		Kind: "note", Agent: cmp.Or(g.Agent, event.MainAgent), Run: "person", Tool: g.Tool, Subject: "permission taken back: " + g.Subject, Digest: g.Digest,
	})
	if err != nil {
		return g, fmt.Errorf("the permission was taken back, and that can't be put on record: %w", err)
	}
	return g, nil
}

// records is what is kept of every agent of a store.
type records struct{ store *store.Store }

// Sessions lists the conversations that are stored.
func (r records) Sessions(context.Context, gateway.All) ([]store.SessionInfo, error) {
	return r.store.Sessions.List()
}

// AuditTail is the last n audit records.
func (r records) AuditTail(_ context.Context, n gateway.Number) ([]audit.Line, error) {
	return r.store.Audit.Tail(int(min(n, math.MaxInt)))
}

// AuditVerify checks the audit.
func (r records) AuditVerify(context.Context, gateway.All) (store.AuditReport, error) {
	return r.store.Audit.Verify()
}

// AuditShow is one audit record.
func (r records) AuditShow(_ context.Context, seq gateway.Number) (audit.Line, error) {
	rec, ok, err := r.store.Audit.Show(uint64(seq))
	if err == nil && !ok {
		err = &event.Problem{
			Code: "no_record", Message: fmt.Sprintf("the audit has no record %d", seq),
			Hint: "agent audit tail shows the newest with their numbers",
		}
	}
	return rec, err
}

// MarkSeen ends the notices of records that were set aside.
func (r records) MarkSeen(context.Context, gateway.All) (int, error) { return r.store.MarkSeen() }

// AuditExport writes the lines of the audit.
func (r records) AuditExport(w io.Writer) error { return r.store.Audit.Export(w) }
