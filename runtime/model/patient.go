package model

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// busyWaits are the waits before a request is sent again that the server refused as
// busy (HTTP 503). Such a request was not begun, so sending it again is safe.
var busyWaits = []time.Duration{time.Second, 3 * time.Second}

// longestWait bounds what a server may ask for in Retry-After.
const longestWait = 5 * time.Second

// patient is a transport that sends a request again while the server is busy.
type patient struct{ next http.RoundTripper }

// RoundTrip gives the first reply that does not say "busy", else the last one.
func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	for _, wait := range busyWaits {
		resp, err := p.next.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusServiceUnavailable || req.Body != nil && req.GetBody == nil {
			return resp, err
		}
		raw, err := io.ReadAll(io.LimitReader(resp.Body, maxLine))
		resp.Body.Close()
		if err != nil || strings.Contains(strings.ToLower(string(raw)), "memory") {
			// Waiting makes no room.
			resp.Body = io.NopCloser(bytes.NewReader(raw))
			return resp, nil
		}
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
			wait = min(time.Duration(n)*time.Second, longestWait)
		}
		select {
		case <-time.After(wait):
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		}
		if req.Body == nil {
			continue
		}
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		req = req.Clone(req.Context())
		req.Body = body
	}
	return p.next.RoundTrip(req)
}
