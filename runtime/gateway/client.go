package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"hardshell/runtime/event"
)

// Client is the way to a Server. What can be asked over it are the verbs.
type Client struct{ http *http.Client }

// NewClient gives a client that dials with dial: a unix socket, or a listener in
// the same process.
func NewClient(dial func(ctx context.Context) (net.Conn, error)) *Client {
	return &Client{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}}}
}

// Close gives up idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// send makes a request and turns an error reply into an error.
func (c *Client) send(ctx context.Context, name string, in any) (*http.Response, error) {
	b, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode the request for %s: %w", name, err)
	}
	var t taking
	whole, end := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(t.trace(whole), http.MethodPost, "http://agent/v1/"+name, bytes.NewReader(b))
	if err != nil {
		end(nil)
		return nil, fmt.Errorf("make the request for %s: %w", name, err)
	}
	done := make(chan struct{})
	go t.watch(done, end)
	resp, err := c.http.Do(req)
	close(done)
	if err != nil {
		return nil, t.failed(ctx, whole, end, err)
	}
	resp.Body = ending{resp.Body, end}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var e errorBody
	if err := json.NewDecoder(resp.Body).Decode(&e); err != nil || e.Error.Message == "" {
		return nil, away(ctx, fmt.Errorf("%s answered %s", name, resp.Status))
	}
	return nil, &e.Error
}

// failed is why a request within ctx got no answer. whole is its own context.
func (t *taking) failed(ctx, whole context.Context, end context.CancelCauseFunc, err error) error {
	defer end(nil)
	switch {
	case ctx.Err() == nil && whole.Err() != nil:
		return context.Cause(whole) // what watch found
	case ctx.Err() == nil && !t.took.Load():
		return &notTaken{away(ctx, err)}
	}
	return away(ctx, err)
}

// awayCode is the code of an agent that can't be reached or went away.
const awayCode = "agent_gone"

// away is the error of an agent that can't be reached or went away, unless it was ctx
// that ended.
func away(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &event.Problem{
		Code: awayCode, Message: "the running agent went away: " + err.Error(),
		Hint: "what was accepted is stored; start it again with agent serve, or just ask again",
	}
}

func isAway(err error) bool {
	var p *event.Problem
	return errors.As(err, &p) && p.Code == awayCode
}

// notTaken is the error of a request that no agent took.
type notTaken struct{ error }

func (e *notTaken) Unwrap() error { return e.error }

// NotTaken reports whether a request failed before any agent took it: nothing was done
// for it, and it can be made again.
func NotTaken(err error) bool {
	var n *notTaken
	return errors.As(err, &n)
}
