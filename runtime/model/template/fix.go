package template

import (
	"context"
	"embed"
	"fmt"
	"path"
	"strings"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
)

//go:embed safe/*.tmpl
var safe embed.FS

// families are the marks by which a template's family is known, with the safe
// template of that family. The first that fits is taken.
var families = []struct{ mark, name string }{
	{"<|start_header_id|>", "llama3"},
	{"<|im_start|>", "chatml"},
}

// Server is what a fix needs of a model server. *model.Client is one.
type Server interface {
	Renderer
	Show(ctx context.Context, name string) (model.Info, error)
	Derive(ctx context.Context, name, from, template string) error
}

// Fixed is what a fix did.
type Fixed struct {
	Model  string `json:"model"`  // the derived model
	From   string `json:"from"`   // the one it was made of
	Family string `json:"family"` // of the safe template
	Before Report `json:"before"`
	After  Report `json:"after"`
}

// suffix marks the tag of a derived model.
const suffix = "-cachesafe"

// derivedName is the name of a model's cache-safe sibling.
func derivedName(name string) string {
	if !strings.Contains(path.Base(name), ":") {
		name += ":latest"
	}
	return name + suffix
}

// Fix makes a derived model with a cache-safe template and proves it, as an agent
// talks to it at a level of thinking. A model without tools gets a template without
// them, so that its calls stay held to their form. A model that is safe already, one
// whose prompts are rendered inside the server and one of an unknown family are
// refused with the reason.
func Fix(ctx context.Context, s Server, name string, numCtx int, level string) (Fixed, error) {
	info, err := s.Show(ctx, name)
	if err != nil {
		return Fixed{}, err
	}
	before, err := Check(ctx, s, Like(info, numCtx, level))
	if err != nil {
		return Fixed{}, err
	}
	f := Fixed{Model: derivedName(name), From: name, Before: before}
	switch {
	case before.Safe:
		return f, refusal("already_safe", name+" keeps its cache from turn to turn: there is nothing to fix", "")
	case info.Renderer != "":
		return f, refusal("built_in_renderer", fmt.Sprintf("%s is rendered by the server's own renderer %q, so a template has no say", name, info.Renderer),
			"report it to the server's authors, or use another model: agent model list")
	}
	template := ""
	if f.Family, template = safeFor(info.Template, info.Enveloped()); template == "" {
		return f, refusal("unknown_family", "no cache-safe template fits the marks of "+name+"'s own one",
			"write one by its example (ollama show --template "+name+") with the tools in the system block, and create a model with it")
	}
	if err := s.Derive(ctx, f.Model, name, template); err != nil {
		return f, err
	}
	made, err := s.Show(ctx, f.Model)
	if err != nil {
		return f, err
	}
	if f.After, err = Check(ctx, s, Like(made, numCtx, level)); err != nil {
		return f, err
	}
	if !f.After.Safe || !f.After.Tools {
		return f, refusal("not_fixed", fmt.Sprintf("%s was made, but it does not keep its cache either (%s)", f.Model, f.After.why()),
			"remove it with: ollama rm "+f.Model)
	}
	return f, nil
}

// why is the first step that loses something.
func (r Report) why() string {
	for _, s := range r.Steps {
		if s.Lost > 0 {
			return fmt.Sprintf("%s: %d of %d bytes are lost, %s", s.What, s.Lost, s.Before, s.Part)
		}
	}
	return "the tools are not in its prompt"
}

func refusal(code, message, hint string) error {
	return &event.Problem{Code: code, Message: message, Hint: hint}
}

// safeFor gives the safe template whose marks are those of a given one, with a place
// for tools or without.
func safeFor(own string, plain bool) (family, template string) {
	for _, f := range families {
		if strings.Contains(own, f.mark) {
			if plain {
				f.name += "-plain"
			}
			b, err := safe.ReadFile("safe/" + f.name + ".tmpl")
			if err != nil {
				panic("template: internal error: " + err.Error()) // the files are embedded
			}
			return f.name, string(b)
		}
	}
	return "", ""
}
