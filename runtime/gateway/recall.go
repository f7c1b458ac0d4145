package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"hardshell/policy"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

// What a client asks of the past, and a person's word on questions.

// Answer gives a person's word on an open question: once, session, always or
// deny. by names the way in, for the record.
func (c *Client) Answer(ctx context.Context, id, answer, by string) error {
	return c.call(ctx, http.MethodPost, "/v1/answer", answerBody{id, answer, by}, &struct{}{})
}

// Grants lists the standing permissions, oldest first.
func (c *Client) Grants(ctx context.Context) ([]approval.Grant, error) {
	var gs []approval.Grant
	err := c.call(ctx, http.MethodGet, "/v1/grants", nil, &gs)
	return gs, err
}

// Revoke takes a standing permission back, by its digest or the head of it.
func (c *Client) Revoke(ctx context.Context, digest string) (approval.Grant, error) {
	var g approval.Grant
	err := c.call(ctx, http.MethodPost, "/v1/revoke", grantBody{digest}, &g)
	return g, err
}

// Record is the record of a turn; an empty turn or "last" is the newest.
func (c *Client) Record(ctx context.Context, id, turn string) (session.TurnRecord, error) {
	var rec session.TurnRecord
	err := c.call(ctx, http.MethodGet, "/v1/record?"+url.Values{"session": {id}, "turn": {turn}}.Encode(), nil, &rec)
	return rec, err
}

// Sessions lists the conversations that are stored, by name.
func (c *Client) Sessions(ctx context.Context) ([]store.SessionInfo, error) {
	var list []store.SessionInfo
	err := c.call(ctx, http.MethodGet, "/v1/sessions", nil, &list)
	return list, err
}

// AuditTail is the last n audit records, oldest first.
func (c *Client) AuditTail(ctx context.Context, n int) ([]policy.Record, error) {
	var recs []policy.Record
	err := c.call(ctx, http.MethodGet, "/v1/audit?n="+strconv.Itoa(n), nil, &recs)
	return recs, err
}

// AuditShow is one audit record.
func (c *Client) AuditShow(ctx context.Context, seq uint64) (policy.Record, error) {
	var rec policy.Record
	err := c.call(ctx, http.MethodGet, "/v1/audit/show?seq="+strconv.FormatUint(seq, 10), nil, &rec)
	return rec, err
}

// AuditVerify checks the whole audit chain.
func (c *Client) AuditVerify(ctx context.Context) (store.AuditReport, error) {
	var rep store.AuditReport
	err := c.call(ctx, http.MethodGet, "/v1/audit/verify", nil, &rep)
	return rep, err
}

// AuditExport writes the lines of the audit to w, oldest first. With an error w
// has a part of them.
func (c *Client) AuditExport(ctx context.Context, w io.Writer) error {
	resp, err := c.send(ctx, http.MethodGet, "/v1/audit/export", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	out := &sink{w: w}
	_, err = io.Copy(out, resp.Body)
	switch {
	case out.err != nil:
		return out.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return gone(err)
	}
	return broke(resp.Trailer.Get(exportError))
}

// sink remembers what kept its writer from writing.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, err = s.w.Write(p)
	s.err = err
	return n, err
}

// broke is the error that an export's trailer carries, nil when there is none.
func broke(trailer string) error {
	if trailer == "" {
		return nil
	}
	p := &event.Problem{Code: "failed", Message: "the export broke off: " + trailer}
	if text, err := strconv.Unquote(trailer); err == nil {
		_ = json.Unmarshal([]byte(text), p) // what can't be read stands as it came
	}
	return p
}
