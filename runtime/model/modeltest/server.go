package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Model is a model that the fake server has.
type Model struct {
	Name         string
	Family       string   // qwen3 unless set
	Capabilities []string // what the template has a place for unless set
	Window       int      // context length, 40960 unless set
	Size         int64    // bytes, 2.5 GB unless set
	Template     string   // {{ .Tools }} unless set; prompts are shown by it if it names .Messages
	Renderer     string   // of a model whose prompts the server makes itself
	Parameters   string
	Remote       string         // makes it a cloud model
	Digest       string         // 64 zeros unless set
	About        map[string]any // more of model_info, by its keys
}

// DefaultModel is the only model of a server whose Models nobody set.
const DefaultModel = "qwen3:4b"

// Request is one request that arrived.
type Request struct {
	Method, Path string
	Body         []byte
}

// Server is the fake. Its methods may be called while requests run.
type Server struct {
	// URL is the address for OLLAMA_HOST; empty for a Fake.
	URL string

	stop chan struct{} // closed at the end of the test

	mu       sync.Mutex
	requests []Request
	arrived  chan struct{} // replaced and closed at each arrival
	script   []Reply
	gone     *Reply // answers everything, when set
	models   []Model
	running  string
	version  string
	pull     []string
}

// New starts a server on loopback that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := Fake(t)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close) // runs before the stop of Fake, so end waiting handlers first
	t.Cleanup(s.end)
	s.URL = h.URL
	return s
}

// Fake makes a server without a listener; reach it through HTTP.
func Fake(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		stop: make(chan struct{}), arrived: make(chan struct{}),
		models: []Model{{Name: DefaultModel}}, running: `{"models":[]}`, version: "0.17.4",
		pull: []string{`{"status":"pulling manifest"}`, `{"status":"pulling 0000","total":100,"completed":100}`, `{"status":"success"}`},
	}
	t.Cleanup(s.end)
	return s
}

// end lets every waiting handler go.
func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
}

// Script appends replies for the chat requests to come. When none is left, the
// default rules answer.
func (s *Server) Script(rs ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, rs...)
}

// Become has every path answer with one reply, as a server that is something
// else or not ready would; Restore ends it.
func (s *Server) Become(r Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = &r
}

// Restore makes it Ollama again.
func (s *Server) Restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = nil
}

// SetModels says what the server has; none at all is allowed.
func (s *Server) SetModels(ms ...Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = ms
}

// SetRunning is the whole reply of /api/ps, as JSON.
func (s *Server) SetRunning(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = body
}

// SetVersion is the server's version, 0.17.4 unless set.
func (s *Server) SetVersion(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = v
}

// SetPull is the lines that a pull is answered with.
func (s *Server) SetPull(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pull = lines
}

// Requests gives every request so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Bodies gives the bodies of the requests to a path, oldest first.
func (s *Server) Bodies(path string) [][]byte {
	var out [][]byte
	for _, r := range s.Requests() {
		if r.Path == path {
			out = append(out, r.Body)
		}
	}
	return out
}

// Await waits until n requests to a path have arrived, or the test ends.
func (s *Server) Await(path string, n int) {
	for {
		s.mu.Lock()
		arrived := s.arrived
		s.mu.Unlock()
		if len(s.Bodies(path)) >= n {
			return
		}
		select {
		case <-arrived:
		case <-s.stop:
			return
		}
	}
}

// ServeHTTP is the server itself.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, body})
	close(s.arrived)
	s.arrived = make(chan struct{})
	gone := s.gone
	s.mu.Unlock()
	if gone != nil {
		s.reply(w, r, *gone, "", len(body))
		return
	}
	s.route(w, r, body)
}

// route answers one request of a server that is Ollama.
func (s *Server) route(w http.ResponseWriter, r *http.Request, body []byte) {
	var q struct {
		Model, Name string
		Messages    []struct{ Role, Content string }
		Tools       []json.RawMessage
		Stream      *bool
		Render      bool `json:"_debug_render_only"`
	}
	if len(body) > 0 && json.Unmarshal(body, &q) != nil {
		s.reply(w, r, Fail(http.StatusBadRequest, "invalid JSON"), "", 0)
		return
	}
	if q.Model == "" {
		q.Model = q.Name
	}
	switch r.URL.Path {
	case "/api/tags":
		s.json(w, s.tags())
	case "/api/ps":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.json(w, s.running)
	case "/api/version":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.json(w, `{"version":"`+s.version+`"}`)
	case "/api/show":
		s.show(w, r, q.Model)
	case "/api/pull":
		s.mu.Lock()
		reply := Raw(s.pull...)
		s.mu.Unlock()
		s.reply(w, r, reply, q.Model, len(body))
	case "/api/create":
		s.create(w, r, body)
	case "/api/chat", "/api/generate":
		switch {
		case s.model(q.Model) == nil:
			s.reply(w, r, missing(q.Model), q.Model, 0)
		case len(q.Tools) > 0 && !slices.Contains(s.model(q.Model).filled().Capabilities, "tools"):
			s.reply(w, r, Fail(http.StatusBadRequest, encode("registry.ollama.ai/library/"+q.Model)+" does not support tools"), q.Model, 0)
		case len(q.Messages) == 0:
			s.json(w, head(q.Model)+`{"role":"assistant","content":""},"done":true,"done_reason":"load"}`)
		case q.Render:
			s.json(w, head(q.Model)+`{"role":"","content":""},"done":false,"_debug_info":{"rendered_template":`+encode(s.model(q.Model).rendered(body))+`}}`)
		default:
			s.reply(w, r, s.nextReply(body), q.Model, len(body))
		}
	case "/":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "Ollama is running") // the client may be gone
	default:
		http.Error(w, "404 page not found", http.StatusNotFound)
	}
}

// nextReply takes the next scripted reply, or makes the default one.
func (s *Server) nextReply(body []byte) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) > 0 {
		r := s.script[0]
		s.script = s.script[1:]
		return r
	}
	return byRule(body)
}

// json sends a whole body.
func (s *Server) json(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, body) // the client may be gone
}

// reply plays a scripted answer.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, p Reply, model string, body int) {
	kind := p.ContentType
	if kind == "" {
		kind = "application/json; charset=utf-8"
	}
	if p.Body != "" || p.Status != 0 && p.Status != http.StatusOK {
		w.Header().Set("Content-Type", kind)
		if p.Location != "" {
			w.Header().Set("Location", p.Location)
		}
		w.WriteHeader(max(p.Status, http.StatusOK))
		_, _ = io.WriteString(w, p.Body) // the client may be gone
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	for _, step := range p.Steps {
		if !s.step(w, r, step, model) {
			return
		}
	}
	if !p.NoEnd {
		_, _ = io.WriteString(w, p.end(model, body)+"\n")
	}
}

// step plays one step; false ends the reply.
func (s *Server) step(w http.ResponseWriter, r *http.Request, step Step, model string) bool {
	wait := step.Wait
	if step.Stall {
		wait = make(chan struct{})
	}
	if wait != nil {
		if f, ok := w.(http.Flusher); ok && step.Stall {
			f.Flush()
		}
		select {
		case <-wait:
		case <-r.Context().Done():
			return false
		case <-s.stop:
			return false
		}
	}
	if step.Drop {
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	out := step.Raw
	if step.Text != "" || step.Thinking != "" || len(step.Calls) > 0 {
		out += step.line(model) + "\n"
	}
	if _, err := io.WriteString(w, out); err != nil {
		return false
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	return true
}
