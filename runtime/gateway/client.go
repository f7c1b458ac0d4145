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
	"net/url"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/event"
)

// Client talks to a Server.
type Client struct {
	http *http.Client
}

// NewClient gives a client that dials with dial: a unix socket, or a listener in
// the same process.
func NewClient(dial func(ctx context.Context) (net.Conn, error)) *Client {
	return &Client{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}}}
}

// Close gives up idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Turn runs a turn and hands its events to sink in order. An error means that
// the agent could not be reached or went away in the middle; how the turn itself
// ended stands in End.
func (c *Client) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) (event.End, error) {
	resp, err := c.send(ctx, http.MethodPost, "/v1/turn", ask)
	if err != nil {
		return event.End{}, err
	}
	defer resp.Body.Close()
	d := json.NewDecoder(resp.Body)
	for {
		var e event.Event
		if err := d.Decode(&e); err != nil {
			if ctx.Err() != nil {
				return event.End{}, context.Cause(ctx)
			}
			return event.End{}, gone(err)
		}
		sink(e)
		if e.Kind == event.TurnEnd && e.End != nil {
			return *e.End, nil
		}
	}
}

// Watch hands the turns that wake a session to sink, until ctx ends or the agent
// goes away. ready is called once it watches.
func (c *Client) Watch(ctx context.Context, session string, ready func(), sink func(event.Event)) error {
	resp, err := c.send(ctx, http.MethodPost, "/v1/watch", sessionBody{session})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	ready()
	for d := json.NewDecoder(resp.Body); ; {
		var e event.Event
		if err := d.Decode(&e); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return gone(err)
		}
		sink(e)
	}
}

// Stop ends the turn that runs in a session and reports whether there was one.
func (c *Client) Stop(ctx context.Context, session string) (bool, error) {
	var out stopped
	err := c.call(ctx, http.MethodPost, "/v1/stop", sessionBody{session}, &out)
	return out.Stopped, err
}

// Reset starts a session anew.
func (c *Client) Reset(ctx context.Context, session string) error {
	return c.call(ctx, http.MethodPost, "/v1/reset", sessionBody{session}, &struct{}{})
}

// Adjust sets what a session has of its own and gives what holds now.
func (c *Client) Adjust(ctx context.Context, ch runtime.Change) (runtime.Settings, error) {
	var now runtime.Settings
	err := c.call(ctx, http.MethodPost, "/v1/adjust", ch, &now)
	return now, err
}

// Judge asks what policy would say of a tool call; nothing happens.
func (c *Client) Judge(ctx context.Context, q JudgeQuery) (policy.Explanation, error) {
	var x policy.Explanation
	err := c.call(ctx, http.MethodPost, "/v1/judge", q, &x)
	return x, err
}

// View gives prompt and context for a person to look at.
func (c *Client) View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error) {
	var v runtime.View
	err := c.call(ctx, http.MethodPost, "/v1/view", q, &v)
	return v, err
}

// Status is what an agent tells of itself; empty is the agent main.
func (c *Client) Status(ctx context.Context, agent string) (runtime.Status, error) {
	var s runtime.Status
	err := c.call(ctx, http.MethodGet, "/v1/status?"+url.Values{"agent": {agent}}.Encode(), nil, &s)
	return s, err
}

// call sends one object and reads one.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return gone(err)
	}
	return nil
}

// send makes a request and turns an error reply into an error.
func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encode the request for %s: %w", path, err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://agent"+path, body)
	if err != nil {
		return nil, fmt.Errorf("make the request for %s: %w", path, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, gone(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var e errorBody
	if err := json.NewDecoder(resp.Body).Decode(&e); err != nil || e.Error.Message == "" {
		return nil, gone(fmt.Errorf("%s answered %s", path, resp.Status))
	}
	return nil, &e.Error
}

// gone is the error of an agent that can't be reached or went away.
func gone(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &event.Problem{
		Code: "agent_gone", Message: "the running agent went away: " + err.Error(),
		Hint: "what was accepted is stored; start it again with agent serve, or just ask again",
	}
}
