package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// pullIdle bounds the silence within a download. Ollama reports progress several
// times a second, and is silent while it checks a digest.
const pullIdle = 5 * time.Minute

// Pull downloads a model. It is called only when a person asks for it. say gets
// the server's word on what it does, with bytes done and bytes in all where it
// counts them.
func (c *Client) Pull(ctx context.Context, name string, say func(status string, done, total int64)) error {
	if name == "" {
		return badRequest("no model is named", "agent model pull NAME")
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(pullIdle, func() {
		cancel(&Error{
			Code:    Stalled,
			Message: fmt.Sprintf("the download of %s has not moved for %s", quoted(name), pullIdle),
			Hint:    "check the network and pull again: what was downloaded is kept by the server",
		})
	})
	defer silent.Stop()
	t := &recorder{stream: true}
	good := false
	err := c.api.Pull(withRecorder(inner, t), &api.PullRequest{Model: name}, func(p api.ProgressResponse) error {
		silent.Reset(pullIdle)
		t.take()
		good = good || p.Status == "success"
		say(quoted(p.Status), p.Completed, p.Total)
		return nil
	})
	if err == nil && good {
		return nil
	}
	if err := c.failure(inner, t, "", err); err != nil {
		return pullFailure(name, err)
	}
	return &Error{
		Code: Broken, Message: fmt.Sprintf("the server ended the download of %s before it was complete", quoted(name)),
		Hint: "pull again: what was downloaded is kept by the server", Cause: err,
	}
}

// pullFailure gives the two usual failures of a download their own words: the
// server has no way out, or nobody has the model.
func pullFailure(name string, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != Server {
		return err
	}
	for _, w := range []string{"no such host", "dial tcp", "network is unreachable", "i/o timeout", "TLS handshake"} {
		if strings.Contains(e.Message, w) {
			return &Error{
				Code: Offline, Message: fmt.Sprintf("the model server can't reach the network, so %s can't be downloaded (%s)", quoted(name), e.Message),
				Hint: "connect the board for the download, or copy the model store of another machine; what is installed: agent model list", Cause: err,
			}
		}
	}
	if strings.Contains(e.Message, "file does not exist") || strings.Contains(e.Message, "manifest unknown") {
		return &Error{
			Code: ModelMissing, Message: fmt.Sprintf("there is no model %s to download", quoted(name)),
			Hint: "check the name and the tag behind its colon", Cause: err,
		}
	}
	return err
}
