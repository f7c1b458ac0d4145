package modeltest

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// HTTP is a client whose requests reach the server without a socket, whatever
// host they name. Inside a testing/synctest bubble time moves while they wait.
func (s *Server) HTTP() *http.Client { return &http.Client{Transport: pipe{s}} }

// pipe runs the handler in a goroutine of its own and streams its body.
type pipe struct{ handler http.Handler }

// errDropped is what a client reads of a connection that the server dropped.
var errDropped = errors.New("connection reset by peer")

// RoundTrip waits for the header, as a real transport does.
func (p pipe) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	body, out := io.Pipe()
	w := &response{out: out, header: http.Header{}, ready: make(chan struct{})}
	go func() {
		defer func() {
			if recover() != nil { // http.ErrAbortHandler
				out.CloseWithError(errDropped)
			}
			w.WriteHeader(http.StatusOK)
			// A handler that gave up because its client did has not ended the body:
			// without this it would race with contextStop for what the client reads.
			out.CloseWithError(r.Context().Err())
		}()
		p.handler.ServeHTTP(w, r)
	}()
	stop := contextStop(r, body)
	select {
	case <-w.ready:
	case <-r.Context().Done():
		stop()
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: piped{body, stop}, ContentLength: -1, Request: r,
	}, nil
}

// contextStop ends the body when the request's context ends. The result ends the
// watching.
func contextStop(r *http.Request, body *io.PipeReader) func() {
	done := make(chan struct{})
	var once sync.Once
	go func() {
		select {
		case <-r.Context().Done():
			body.CloseWithError(r.Context().Err())
		case <-done:
		}
	}()
	return func() {
		once.Do(func() {
			close(done)
			body.Close()
		})
	}
}

// piped is a body whose closing ends its watcher.
type piped struct {
	io.Reader
	stop func()
}

// Close ends the reading.
func (p piped) Close() error { p.stop(); return nil }

// response is the handler's side.
type response struct {
	out    *io.PipeWriter
	header http.Header
	status int
	once   sync.Once
	ready  chan struct{}
}

// Header is the header, to be set before the first write.
func (w *response) Header() http.Header { return w.header }

// WriteHeader lets the client go on.
func (w *response) WriteHeader(status int) {
	w.once.Do(func() {
		w.status = status
		close(w.ready)
	})
}

// Write sends a piece of the body.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

// Flush sends the header.
func (w *response) Flush() { w.WriteHeader(http.StatusOK) }
