package main

import (
	"context"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

// adjust sets what this conversation has of its own and tells what holds now; a
// change of nothing only tells.
func (s *chat) adjust(ctx context.Context, ch runtime.Change) error {
	now, err := ask(ctx, s.link, gateway.Adjust, ch)
	if err != nil {
		return err
	}
	name := now.Model
	if name == "" {
		name = "the best one that the server has"
	}
	s.told("%s: model %s, think %s, reasoning %s", s.naming(), term.OneLine(name, 200), now.Think, now.Reasoning)
	for _, n := range now.Notes {
		s.told("  %s", term.OneLine(n, 400))
	}
	return nil
}
