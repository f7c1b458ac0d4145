package model

import (
	"context"

	"github.com/ollama/ollama/api"
)

// Derive makes a model of another one that differs in its template alone: the
// server keeps the weights once. An existing model of that name is replaced.
func (c *Client) Derive(ctx context.Context, name, from, template string) error {
	t := &recorder{}
	err := c.api.Create(withRecorder(ctx, t), &api.CreateRequest{Model: name, From: from, Template: template}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		return c.failure(ctx, t, from, err)
	}
	return nil
}
