package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"hardshell/runtime"
	"hardshell/runtime/event"
)

// What a server tells of the past: turns, sessions, grants and the audit.

// exportError is the trailer of an export that broke off: an error in JSON.
const exportError = "Export-Error"

func (s *Server) record(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	rec, err := s.agent.Record(q.Get("session"), q.Get("turn"))
	reply(w, rec, err)
}

func (s *Server) sessions(w http.ResponseWriter, _ *http.Request) {
	list, err := s.agent.Sessions()
	reply(w, list, err)
}

func (s *Server) grants(w http.ResponseWriter, _ *http.Request) {
	reply(w, s.agent.Grants(), nil)
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if b, ok := body[grantBody](w, r); ok {
		g, err := s.agent.Revoke(b.Digest)
		reply(w, g, err)
	}
}

func (s *Server) auditTail(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < 1 {
		badNumber(w, "n", r.URL.Query().Get("n"), "number of records")
		return
	}
	recs, err := s.agent.AuditTail(n)
	reply(w, recs, err)
}

func (s *Server) auditShow(w http.ResponseWriter, r *http.Request) {
	seq, err := strconv.ParseUint(r.URL.Query().Get("seq"), 10, 64)
	if err != nil || seq < 1 {
		badNumber(w, "seq", r.URL.Query().Get("seq"), "number of a record")
		return
	}
	rec, err := s.agent.AuditShow(seq)
	reply(w, rec, err)
}

// badNumber refuses a number that is none.
func badNumber(w http.ResponseWriter, name, given, want string) {
	write(w, http.StatusBadRequest, errorBody{event.Problem{
		Code: "bad_request", Message: fmt.Sprintf("%s = %q is no %s", name, given, want), Hint: "give a number from 1",
	}})
}

func (s *Server) auditVerify(w http.ResponseWriter, _ *http.Request) {
	rep, err := s.agent.AuditVerify()
	reply(w, rep, err)
}

// auditExport sends the audit's lines as they are. An error that comes when lines
// are out already travels behind them.
func (s *Server) auditExport(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Trailer", exportError)
	w.WriteHeader(http.StatusOK)
	if err := s.agent.AuditExport(w); err != nil {
		b, _ := json.Marshal(runtime.Problem(err)) // texts always marshal
		w.Header().Set(exportError, strconv.QuoteToASCII(string(b)))
	}
}
