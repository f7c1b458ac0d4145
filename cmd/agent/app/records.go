package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"hardshell/policy"
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
	err = a.store.Audit.Record(context.WithoutCancel(ctx), policy.Record{
		Kind: "note", Agent: cmp.Or(g.Agent, event.MainAgent), Run: "person", Tool: g.Tool, Subject: "permission taken back: " + g.Subject, Digest: g.Digest,
	})
	if err != nil {
		return g, fmt.Errorf("the permission was taken back, and that can't be put on record: %w", err)
	}
	return g, nil
}

// Sessions lists the conversations that are stored.
func (a *service) Sessions(context.Context, gateway.All) ([]store.SessionInfo, error) {
	return a.store.Sessions.List()
}

// AuditTail is the last n audit records.
func (a *service) AuditTail(_ context.Context, n gateway.Number) ([]policy.Record, error) {
	return a.store.Audit.Tail(int(min(n, math.MaxInt)))
}

// AuditVerify checks the audit.
func (a *service) AuditVerify(context.Context, gateway.All) (store.AuditReport, error) {
	return a.store.Audit.Verify()
}

// AuditShow is one audit record.
func (a *service) AuditShow(_ context.Context, seq gateway.Number) (policy.Record, error) {
	rec, ok, err := a.store.Audit.Show(uint64(seq))
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
