package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"hardshell/runtime/event"
)

// maxBody is the largest request body in bytes; a question is far smaller.
const maxBody = 4 << 20

// route is the server's end of a verb.
type route interface {
	path() string
	handle(Agents) http.HandlerFunc
}

// Server serves the agents of one process to the clients of its listeners.
type Server struct{ http *http.Server }

// NewServer gives a server that listens nowhere yet.
func NewServer(a Agents) *Server {
	mux := http.NewServeMux()
	for _, r := range routes() {
		mux.HandleFunc("POST /v1/"+r.path(), r.handle(a))
	}
	return &Server{&http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}}
}

// Serve answers on l until Close. It may be called for several listeners.
func (s *Server) Serve(l net.Listener) error {
	err := s.http.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown ends all listeners and waits until every reply that is being sent has
// been sent, or ctx ends.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.Shutdown(ctx) }

// Close ends all listeners and connections; turns that clients had running are
// interrupted and stored as such.
func (s *Server) Close() error { return s.http.Close() }

// body reads a request's JSON value and takes the request, or refuses it; unknown
// fields are refused, so that a client of another version is told instead of half
// understood.
func body[T any](w http.ResponseWriter, r *http.Request) (T, bool) {
	var v T
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(&v)
	if err == nil {
		if _, extra := d.Token(); !errors.Is(extra, io.EOF) {
			err = errors.New("more than one JSON value")
		}
	}
	if err != nil {
		write(w, http.StatusBadRequest, errorBody{event.Problem{
			Code: "bad_request", Message: "the request could not be read: " + err.Error(),
			Hint: "use the agent command of the same version as the running agent",
		}})
		return v, false
	}
	if c, ok := any(v).(interface{ check() *event.Problem }); ok {
		if p := c.check(); p != nil {
			write(w, http.StatusBadRequest, errorBody{*p})
			return v, false
		}
	}
	w.WriteHeader(taken)
	return v, true
}

// taken is the status that goes out before anything is done for a request. A client
// that never saw it knows that nothing was done.
const taken = http.StatusProcessing

// errorBody is how every error crosses the wire.
type errorBody struct {
	Error event.Problem `json:"error"`
}

// write sends one JSON value.
func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// The client is gone when this fails; there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(v)
}
