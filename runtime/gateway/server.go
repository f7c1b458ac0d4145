package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"hardshell/runtime"
	"hardshell/runtime/event"
)

// maxBody is the largest request body in bytes; a question is far smaller.
const maxBody = 4 << 20

// Server serves one agent to the clients of its listeners.
type Server struct {
	agent Agent
	http  *http.Server
}

// NewServer gives a server that listens nowhere yet.
func NewServer(a Agent) *Server {
	s := &Server{agent: a}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/turn", s.turn)
	mux.HandleFunc("POST /v1/watch", s.watch)
	mux.HandleFunc("POST /v1/stop", s.stop)
	mux.HandleFunc("POST /v1/reset", s.reset)
	mux.HandleFunc("POST /v1/adjust", s.adjust)
	mux.HandleFunc("POST /v1/answer", s.answer)
	mux.HandleFunc("POST /v1/judge", s.judge)
	mux.HandleFunc("POST /v1/view", s.view)
	mux.HandleFunc("GET /v1/status", s.status)
	mux.HandleFunc("GET /v1/jobs", s.jobs)
	mux.HandleFunc("POST /v1/jobs/log", s.jobLog)
	mux.HandleFunc("POST /v1/jobs/kill", s.endJob)
	mux.HandleFunc("GET /v1/record", s.record)
	mux.HandleFunc("GET /v1/sessions", s.sessions)
	mux.HandleFunc("GET /v1/grants", s.grants)
	mux.HandleFunc("POST /v1/revoke", s.revoke)
	mux.HandleFunc("GET /v1/audit", s.auditTail)
	mux.HandleFunc("GET /v1/audit/show", s.auditShow)
	mux.HandleFunc("GET /v1/audit/export", s.auditExport)
	mux.HandleFunc("GET /v1/audit/verify", s.auditVerify)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return s
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

// body reads a request's JSON object; unknown fields are refused, so that a
// client of another version is told instead of half understood.
func body[T any](w http.ResponseWriter, r *http.Request) (T, bool) {
	var v T
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(&v)
	if err == nil {
		if _, extra := d.Token(); !errors.Is(extra, io.EOF) {
			err = errors.New("more than one JSON object")
		}
	}
	if err != nil {
		write(w, http.StatusBadRequest, errorBody{event.Problem{
			Code: "bad_request", Message: "the request could not be read: " + err.Error(),
			Hint: "use the agent command of the same version as the running agent",
		}})
		return v, false
	}
	return v, true
}

// turn runs a turn and streams its events, one JSON object a line.
func (s *Server) turn(w http.ResponseWriter, r *http.Request) {
	ask, ok := body[runtime.Ask](w, r)
	if !ok {
		return
	}
	stream(w, r, func(ctx context.Context, see func(event.Event)) { s.agent.Turn(ctx, ask, see) })
}

// watch streams the turns that wake a session, as long as the client stays.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	b, ok := body[sessionBody](w, r)
	if !ok {
		return
	}
	stream(w, r, func(ctx context.Context, see func(event.Event)) { s.agent.Watch(ctx, b.Session, see) })
}

// stream sends the events of run, one JSON object a line. A client that goes away
// ends run.
func stream(w http.ResponseWriter, r *http.Request, run func(ctx context.Context, see func(event.Event))) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	lines, flush := json.NewEncoder(w), http.NewResponseController(w)
	_ = flush.Flush() // the client may go on
	q := newQueue()
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		defer close(done)
		run(ctx, q.put)
		q.end()
	}()
	for e, more := q.take(); more; e, more = q.take() {
		if err := lines.Encode(e); err != nil {
			break // the client is gone: its turn ends with it
		}
		_ = flush.Flush()
	}
	cancel()
	<-done
}

func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	if b, ok := body[sessionBody](w, r); ok {
		write(w, http.StatusOK, stopped{s.agent.Stop(b.Session)})
	}
}

func (s *Server) reset(w http.ResponseWriter, r *http.Request) {
	if b, ok := body[sessionBody](w, r); ok {
		reply(w, struct{}{}, s.agent.Reset(b.Session))
	}
}

func (s *Server) adjust(w http.ResponseWriter, r *http.Request) {
	if ch, ok := body[runtime.Change](w, r); ok {
		now, err := s.agent.Adjust(r.Context(), ch)
		reply(w, now, err)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if b, ok := body[answerBody](w, r); ok {
		reply(w, struct{}{}, s.agent.Answer(b.ID, b.Answer, b.By))
	}
}

func (s *Server) judge(w http.ResponseWriter, r *http.Request) {
	if q, ok := body[JudgeQuery](w, r); ok {
		d, err := s.agent.Judge(r.Context(), q)
		reply(w, d, err)
	}
}

func (s *Server) view(w http.ResponseWriter, r *http.Request) {
	if q, ok := body[runtime.ViewQuery](w, r); ok {
		v, err := s.agent.View(r.Context(), q)
		reply(w, v, err)
	}
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	st, err := s.agent.Status(r.Context(), r.URL.Query().Get("agent"))
	reply(w, st, err)
}

// reply sends a value, or the error in its place.
func reply[T any](w http.ResponseWriter, v T, err error) {
	if err != nil {
		write(w, http.StatusUnprocessableEntity, errorBody{*runtime.Problem(err)})
		return
	}
	write(w, http.StatusOK, v)
}
