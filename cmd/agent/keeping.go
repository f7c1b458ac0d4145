package main

import (
	"fmt"
	"io"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/store"
)

// What the agent of this process keeps, as the gateway serves it.

// Grants lists the standing permissions.
func (a *living) Grants() []runtime.Grant { return a.desk.Grants() }

// Revoke takes a standing permission back.
func (a *living) Revoke(digest string) (runtime.Grant, error) { return a.desk.Revoke(digest) }

// Sessions lists the conversations that are stored.
func (a *living) Sessions() ([]store.SessionInfo, error) { return a.store.Sessions() }

// AuditShow is one audit record.
func (a *living) AuditShow(seq uint64) (policy.Record, error) {
	rec, ok, err := a.store.AuditShow(seq)
	if err == nil && !ok {
		err = &event.Problem{
			Code: "no_record", Message: fmt.Sprintf("the audit has no record %d", seq),
			Hint: "agent audit tail shows the newest with their numbers",
		}
	}
	return rec, err
}

// AuditExport writes the lines of the audit.
func (a *living) AuditExport(w io.Writer) error { return a.store.AuditExport(w) }
