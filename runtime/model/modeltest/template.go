package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/template"
)

// rendered is the prompt that a model's template makes of a request, or the
// messages as they came where the template is none. What the template can't do
// stands in its place, for the test to see.
func (m *Model) rendered(body []byte) string {
	if !m.renders() {
		var q struct{ Messages json.RawMessage }
		_ = json.Unmarshal(body, &q) // route has read it before
		return string(bytes.TrimSpace(q.Messages))
	}
	var q api.ChatRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return "modeltest: " + err.Error()
	}
	t, err := template.Parse(m.Template)
	if err != nil {
		return "modeltest: " + err.Error()
	}
	var b strings.Builder
	v := template.Values{Messages: q.Messages, Tools: q.Tools, IsThinkSet: q.Think != nil, Think: q.Think.Bool()}
	if err := t.Execute(&b, v); err != nil {
		return "modeltest: " + err.Error()
	}
	return b.String()
}

// renders reports whether the template makes prompts.
func (m *Model) renders() bool { return strings.Contains(m.Template, ".Messages") }

// create answers /api/create: a model that is another one but for its template.
func (s *Server) create(w http.ResponseWriter, r *http.Request, body []byte) {
	var q struct{ Model, From, Template string }
	_ = json.Unmarshal(body, &q) // route has read it before
	from := s.model(q.From)
	if from == nil {
		s.reply(w, r, missing(q.From), "", 0)
		return
	}
	made := *from
	made.Name, made.Template = q.Model, q.Template
	s.mu.Lock()
	s.models = append(slices.DeleteFunc(s.models, func(m Model) bool { return m.Name == q.Model }), made)
	s.mu.Unlock()
	s.reply(w, r, Raw(`{"status":"success"}`), "", 0)
}
