package model

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ollama/ollama/api"
)

// tags lists the server's models by name, without asking for each.
func (c *Client) tags(ctx context.Context) ([]api.ListModelResponse, error) {
	var r *api.ListResponse
	err := c.look(ctx, "", func(ctx context.Context) (err error) {
		r, err = c.api.List(ctx)
		return err
	}, "models")
	if err != nil {
		return nil, err
	}
	slices.SortFunc(r.Models, func(a, b api.ListModelResponse) int { return cmp.Compare(a.Name, b.Name) })
	return r.Models, nil
}

// List gives the server's models, sorted by name, each with its capabilities. A
// model that the server can't describe is listed without any.
func (c *Client) List(ctx context.Context) ([]Info, error) {
	tags, err := c.tags(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Info, 0, len(tags))
	for _, t := range tags {
		i, err := c.show(ctx, t.Name)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			i = Info{Name: t.Name}
		}
		i.Size, i.Digest = t.Size, t.Digest
		i.Family = cmp.Or(i.Family, t.Details.Family)
		i.ParameterSize = cmp.Or(i.ParameterSize, t.Details.ParameterSize)
		i.Quantization = cmp.Or(i.Quantization, t.Details.QuantizationLevel)
		i.Remote = cmp.Or(i.Remote, t.RemoteHost)
		out = append(out, i)
	}
	return out, nil
}

// Show describes one model. A model that the server does not have is an *Error
// with code ModelMissing; nothing is downloaded.
func (c *Client) Show(ctx context.Context, name string) (Info, error) {
	if name == "" {
		return Info{}, badRequest("no model is named", "set model.name, or: agent model use NAME")
	}
	i, err := c.show(ctx, name)
	if err != nil {
		return Info{}, err
	}
	tags, err := c.tags(ctx)
	if err != nil {
		return i, nil // the size is a detail; the model is there
	}
	for _, t := range tags {
		if sameName(t.Name, name) {
			i.Size, i.Digest = t.Size, t.Digest
		}
	}
	return i, nil
}

// show asks for one model's description.
func (c *Client) show(ctx context.Context, name string) (Info, error) {
	var r *api.ShowResponse
	err := c.look(ctx, name, func(ctx context.Context) (err error) {
		r, err = c.api.Show(ctx, &api.ShowRequest{Model: name})
		return err
	}, "details", "model_info", "template", "modelfile", "capabilities")
	if err != nil {
		return Info{}, err
	}
	i := Info{
		Name: name, Family: r.Details.Family, Template: r.Template, Renderer: r.Renderer, Parameters: r.Parameters,
		ParameterSize: r.Details.ParameterSize, Quantization: r.Details.QuantizationLevel, Remote: r.RemoteHost,
	}
	for _, k := range r.Capabilities {
		i.Capabilities = append(i.Capabilities, string(k))
	}
	if arch, ok := r.ModelInfo["general.architecture"].(string); ok {
		if n, ok := r.ModelInfo[arch+".context_length"].(float64); ok && n > 0 {
			i.Window = int(n)
		}
		i.Family = cmp.Or(i.Family, arch)
		i.PerToken = perToken(r.ModelInfo, arch)
	}
	return i, nil
}

// perToken is the size of a token in the cache: a key and a value of two bytes a number
// for each head of each layer. It is 0 where the server does not tell all of it.
func perToken(about map[string]any, arch string) int64 {
	number := func(key string) float64 {
		n, _ := about[arch+"."+key].(float64)
		return n
	}
	heads, width := number("attention.head_count_kv"), number("attention.key_length")
	if all := number("attention.head_count"); width == 0 && all > 0 {
		width = number("embedding_length") / all
	}
	value := cmp.Or(number("attention.value_length"), width)
	return int64(2 * number("block_count") * heads * (width + value))
}

// Loaded is a model that the server holds in memory.
type Loaded struct {
	Name    string
	Size    int64 // bytes in memory, VRAM the part of them on the GPU
	VRAM    int64
	Window  int       // num_ctx that it was loaded with, 0 unknown
	Expires time.Time // when the server will unload it
}

// Running lists what the server holds in memory, sorted by name. It neither
// loads nor keeps a model.
func (c *Client) Running(ctx context.Context) ([]Loaded, error) {
	var r *api.ProcessResponse
	err := c.look(ctx, "", func(ctx context.Context) (err error) {
		r, err = c.api.ListRunning(ctx)
		return err
	}, "models")
	if err != nil {
		return nil, err
	}
	out := make([]Loaded, 0, len(r.Models))
	for _, m := range r.Models {
		out = append(out, Loaded{Name: m.Name, Size: m.Size, VRAM: m.SizeVRAM, Window: m.ContextLength, Expires: m.ExpiresAt})
	}
	slices.SortFunc(out, func(a, b Loaded) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
