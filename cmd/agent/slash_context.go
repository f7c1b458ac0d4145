package main

import (
	"context"

	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

// showContext does what /context says of a conversation's prompt, or of the
// prompt that it would get.
func (s *chat) showContext(ctx context.Context, what string) error {
	id := s.session
	if what == "diff" {
		return showDiff(ctx, s.invocation, s.link, id, "last")
	}
	q, err := s.frozenQuery(ctx, id)
	if err != nil {
		return err
	}
	switch what {
	case "", "list":
		return showParts(ctx, s.invocation, s.link, q)
	case "detail":
		return showLargest(ctx, s.invocation, s.link, q)
	case "prompt":
		return showPrompt(ctx, s.invocation, s.link, q)
	}
	return usageError("/context alone lists the parts; /context detail, prompt and diff show more", "/context takes no %q", what)
}

// frozenQuery asks for the prompt of a conversation where it has one already.
func (s *chat) frozenQuery(ctx context.Context, id string) (runtime.ViewQuery, error) {
	st, err := ask(ctx, s.link, gateway.Status, s.owner())
	if err != nil {
		return runtime.ViewQuery{}, err
	}
	for _, one := range st.Sessions {
		if one.ID == id && one.Messages > 0 {
			return runtime.ViewQuery{Session: id}, nil
		}
	}
	return runtime.ViewQuery{Agent: s.owner()}, nil
}
