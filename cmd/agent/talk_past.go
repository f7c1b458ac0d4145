package main

import (
	"context"
	"io"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

// A link asks for the past like the client behind it.

// AuditShow is one audit record.
func (l *link) AuditShow(ctx context.Context, seq uint64) (rec policy.Record, err error) {
	err = again(ctx, l, func() error {
		rec, err = l.client.AuditShow(ctx, seq)
		return err
	})
	return rec, err
}

// AuditExport writes the lines of the audit. It is not tried again, since a part
// of them may be out.
func (l *link) AuditExport(ctx context.Context, w io.Writer) error {
	return l.client.AuditExport(ctx, w)
}

// Grants lists the standing permissions.
func (l *link) Grants(ctx context.Context) (gs []runtime.Grant, err error) {
	err = again(ctx, l, func() error {
		gs, err = l.client.Grants(ctx)
		return err
	})
	return gs, err
}

// Revoke takes a standing permission back.
func (l *link) Revoke(ctx context.Context, digest string) (runtime.Grant, error) {
	return l.client.Revoke(ctx, digest)
}

// Record is the record of a turn.
func (l *link) Record(ctx context.Context, id, turn string) (rec session.TurnRecord, err error) {
	err = again(ctx, l, func() error {
		rec, err = l.client.Record(ctx, id, turn)
		return err
	})
	return rec, err
}

// Sessions lists the conversations that are stored.
func (l *link) Sessions(ctx context.Context) (list []store.SessionInfo, err error) {
	err = again(ctx, l, func() error {
		list, err = l.client.Sessions(ctx)
		return err
	})
	return list, err
}
