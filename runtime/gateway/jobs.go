package gateway

import (
	"context"
	"net/http"
	"net/url"

	"hardshell/tools"
)

// Both ends of what a person does with commands in the background.

func (s *Server) jobs(w http.ResponseWriter, r *http.Request) {
	list, err := s.agent.Jobs(r.URL.Query().Get("agent"))
	reply(w, list, err)
}

func (s *Server) jobLog(w http.ResponseWriter, r *http.Request) {
	if q, ok := body[JobQuery](w, r); ok {
		t, err := s.agent.JobLog(q)
		reply(w, t, err)
	}
}

func (s *Server) endJob(w http.ResponseWriter, r *http.Request) {
	if q, ok := body[JobQuery](w, r); ok {
		rec, err := s.agent.EndJob(r.Context(), q)
		reply(w, rec, err)
	}
}

// Jobs lists the commands of an agent that run in the background, and those that
// have ended and are still known; an empty name is the agent main.
func (c *Client) Jobs(ctx context.Context, agent string) ([]tools.JobRecord, error) {
	var list []tools.JobRecord
	err := c.call(ctx, http.MethodGet, "/v1/jobs?"+url.Values{"agent": {agent}}.Encode(), nil, &list)
	return list, err
}

// JobLog gives lines of what is kept of a command's output.
func (c *Client) JobLog(ctx context.Context, q JobQuery) (tools.JobText, error) {
	var t tools.JobText
	err := c.call(ctx, http.MethodPost, "/v1/jobs/log", q, &t)
	return t, err
}

// EndJob ends a command with everything that it started, and gives its record.
func (c *Client) EndJob(ctx context.Context, q JobQuery) (tools.JobRecord, error) {
	var r tools.JobRecord
	err := c.call(ctx, http.MethodPost, "/v1/jobs/kill", q, &r)
	return r, err
}
