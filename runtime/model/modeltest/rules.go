package modeltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// toolMark stands before the call that a message asks for.
const toolMark = "TOOL:"

// byRule answers a conversation that no script answers.
func byRule(body []byte) Reply {
	var q struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &q); err != nil || len(q.Messages) == 0 {
		return Text("ok")
	}
	last := q.Messages[len(q.Messages)-1]
	if last.Role == "tool" {
		return Text("done: " + last.Content)
	}
	_, after, ok := strings.Cut(last.Content, toolMark)
	if !ok {
		return Text("ok")
	}
	var raw json.RawMessage
	if err := json.NewDecoder(strings.NewReader(after)).Decode(&raw); err != nil {
		return Text(fmt.Sprintf("modeltest: what follows %s is no JSON: %v", toolMark, err))
	}
	type wanted struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	list := []wanted{{}}
	var err error
	if raw[0] == '[' {
		err = json.Unmarshal(raw, &list)
	} else {
		err = json.Unmarshal(raw, &list[0])
	}
	if err != nil {
		return Text(fmt.Sprintf("modeltest: what follows %s is no call: %v", toolMark, err))
	}
	var calls []Call
	for _, c := range list {
		calls = append(calls, Call{Name: c.Name, Args: string(c.Args)})
	}
	return Calls(calls...)
}

// missing is Ollama's answer for a model that it doesn't have.
func missing(name string) Reply {
	return Fail(http.StatusNotFound, fmt.Sprintf("model '%s' not found", name))
}

// model finds a model by its name, with or without :latest.
func (s *Server) model(name string) *Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.models {
		if m.Name == name || m.Name == name+":latest" {
			return &m
		}
	}
	return nil
}

// filled is a model with what nobody set.
func (m Model) filled() Model {
	if m.Family == "" {
		m.Family = "qwen3"
	}
	if m.Capabilities == nil {
		m.Capabilities = m.able()
	}
	if m.Window == 0 {
		m.Window = 40960
	}
	if m.Size == 0 {
		m.Size = 2_500_000_000
	}
	if m.Digest == "" {
		m.Digest = strings.Repeat("0", 64)
	}
	if m.Template == "" {
		m.Template = "{{ .Tools }}"
	}
	return m
}

// able is what a server reads off a template of its own kind; of any other one,
// completion and tools.
func (m Model) able() []string {
	out := []string{"completion"}
	for _, one := range [][2]string{{".Tools", "tools"}, {".Thinking", "thinking"}} {
		if strings.Contains(m.Template, one[0]) || one[1] == "tools" && !m.renders() {
			out = append(out, one[1])
		}
	}
	return out
}

// details is the block that tags and show share.
func (m Model) details() map[string]any {
	return map[string]any{
		"format": "gguf", "family": m.Family, "families": []string{m.Family},
		"parameter_size": "4.0B", "quantization_level": "Q4_K_M",
	}
}

// tags is the reply of /api/tags.
func (s *Server) tags() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for _, m := range s.models {
		m = m.filled()
		entry := map[string]any{
			"name": m.Name, "model": m.Name, "size": m.Size, "digest": m.Digest,
			"modified_at": "2026-01-01T00:00:00Z", "details": m.details(),
		}
		if m.Remote != "" {
			entry["remote_host"] = m.Remote
		}
		list = append(list, entry)
	}
	return encode(map[string]any{"models": list})
}

// show answers /api/show.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name string) {
	found := s.model(name)
	if found == nil {
		s.reply(w, r, missing(name), "", 0)
		return
	}
	m := found.filled()
	about := map[string]any{"general.architecture": m.Family, m.Family + ".context_length": m.Window}
	maps.Copy(about, m.About)
	out := map[string]any{
		"capabilities": m.Capabilities, "template": m.Template, "parameters": m.Parameters, "details": m.details(), "model_info": about,
	}
	if m.Remote != "" {
		out["remote_host"] = m.Remote
	}
	if m.Renderer != "" {
		out["renderer"] = m.Renderer
	}
	s.json(w, encode(out))
}

// encode is JSON of values that always marshal.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
