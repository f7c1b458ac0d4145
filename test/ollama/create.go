package ollama

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"github.com/ollama/ollama/api"

	"hardshell/test/scripted"
)

// The names of the models that this package creates.
const (
	Scripted = "hardshell-scripted" // the script of package scripted
	Small    = "hardshell-smollm2"  // SmolLM2-135M with tools in its template
	Counter  = "hardshell-counter"  // SmolLM2-135M that shows system and tools bare
	Plain    = "hardshell-plain"    // SmolLM2-135M whose template knows no tools
)

// smallTemplate is ChatML with the tools in the system block, in the form that
// Qwen and Hermes models know.
const smallTemplate = `{{- if or .System .Tools }}<|im_start|>system
{{ .System }}
{{- if .Tools }}

# Tools

You may call one function. The functions:
{{- range .Tools }}
{{ json .Function }}
{{- end }}

To call a function, answer with nothing but
<tool_call>
{"name": <function>, "arguments": <object>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- range .Messages }}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ .Content }}{{ if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ json .Function.Arguments }}}
{{ end }}</tool_call>{{ end }}<|im_end|>
{{ else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- end }}<|im_start|>assistant
`

// counterTemplate shows the system text and the tool array as models get them
// and nothing else: no marks, no instructions, no messages.
const counterTemplate = `{{ .System }}{{ range .Tools }}
{{ . }}{{ end }}{{ range .Messages }}{{ end }}`

// plainTemplate is ChatML with the three roles that every model knows.
const plainTemplate = `{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
`

// CreateScripted writes the scripted model into dir and gives it to the server.
func (s *Server) CreateScripted(ctx context.Context, dir string, script []scripted.Scene) error {
	path := filepath.Join(dir, "scripted.gguf")
	if err := scripted.Write(path, script); err != nil {
		return err
	}
	defer os.Remove(path) // the server has its own copy
	// One thread: the model does no work worth sharing, and threads that wait
	// for each other make it slow on a busy machine.
	return s.create(ctx, Scripted, path, scripted.Template(script), map[string]any{"num_thread": 1})
}

// CreateSmall gives the small real model to the server, with tools.
func (s *Server) CreateSmall(ctx context.Context, path string) error {
	return s.create(ctx, Small, path, smallTemplate, nil)
}

// CreatePlain gives the small real model to the server as one without tools.
func (s *Server) CreatePlain(ctx context.Context, path string) error {
	return s.create(ctx, Plain, path, plainTemplate, nil)
}

// CreateCounter gives the small real model to the server under a template that
// adds nothing, so that a prompt's token count is that of its text.
func (s *Server) CreateCounter(ctx context.Context, path string) error {
	return s.create(ctx, Counter, path, counterTemplate, nil)
}

// create hands a model file to the server, as "ollama create" does.
func (s *Server) create(ctx context.Context, name, path, template string, parameters map[string]any) error {
	digest, err := upload(ctx, s.Client(), path)
	if err != nil {
		return fmt.Errorf("model %s: %w", name, err)
	}
	req := &api.CreateRequest{
		Model:      name,
		Files:      map[string]string{filepath.Base(path): digest},
		Template:   template,
		Parameters: map[string]any{"temperature": 0, "stop": []string{"<|im_end|>"}},
	}
	maps.Copy(req.Parameters, parameters)
	if err := s.Client().Create(ctx, req, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("model %s: %w", name, err)
	}
	return nil
}

// upload sends a file unless the server has it already.
func upload(ctx context.Context, c *api.Client, path string) (digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest = fmt.Sprintf("sha256:%x", sum.Sum(nil))
	return digest, c.CreateBlob(ctx, digest, f)
}
