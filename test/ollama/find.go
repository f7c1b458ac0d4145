package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// Found is a server with a model that can call tools.
type Found struct {
	Host  string
	Model string // the smallest one of those that can
}

// FindLimit is how long a server that is there already may take to answer.
const FindLimit = 3 * time.Second

// Find looks for a running server at host (a URL) that has a model which can
// call tools. It only asks and changes nothing.
func Find(ctx context.Context, host string) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, FindLimit)
	defer cancel()
	name, err := capable(ctx, client(host))
	if err != nil {
		return Found{}, fmt.Errorf("%s: %w", host, err)
	}
	return Found{Host: host, Model: name}, nil
}

// errNoTools says that a server has no model that can call tools.
var errNoTools = errors.New("it has no model that can call tools")

// capable names the smallest model that can call tools, our own ones aside.
func capable(ctx context.Context, c *api.Client) (string, error) {
	list, err := c.List(ctx)
	if err != nil {
		return "", err
	}
	slices.SortFunc(list.Models, func(a, b api.ListModelResponse) int { return int(min(1, max(-1, a.Size-b.Size))) })
	for _, m := range list.Models {
		if strings.HasPrefix(m.Name, "hardshell-") {
			continue
		}
		info, err := c.Show(ctx, &api.ShowRequest{Model: m.Name})
		if err == nil && slices.Contains(info.Capabilities, model.CapabilityTools) {
			return m.Name, nil
		}
	}
	return "", errNoTools
}

// record is where a detached server is written down.
func record(dir string) string { return filepath.Join(dir, "server.json") }

// Save writes a detached server down, so that a later process can use or stop
// it.
func (s *Server) Save(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(record(dir), b, 0o644)
}

// Saved gives the detached server that was written down in dir, if it still
// runs and answers.
func Saved(ctx context.Context, dir string) (*Server, bool) {
	b, err := os.ReadFile(record(dir))
	if err != nil {
		return nil, false
	}
	var s Server
	if json.Unmarshal(b, &s) != nil || s.PID <= 1 || !ours(s.PID) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, FindLimit)
	defer cancel()
	return &s, s.Client().Heartbeat(ctx) == nil
}

// ours reports whether a process is an ollama server, so that a number that the
// system gave to somebody else in the meantime is never signalled.
func ours(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.HasSuffix(strings.TrimRight(string(b), "\x00"), "\x00serve") && strings.Contains(string(b), "ollama")
}

// Forget removes the note of a detached server.
func Forget(dir string) error {
	err := os.Remove(record(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// PullLimit is how long the first answer of a model registry may take; a
// network without one is noticed within it.
const PullLimit = 20 * time.Second

// Pull lets the server fetch a model and tells how far it is. When the registry
// does not begin to deliver within PullLimit, it gives up.
func (s *Server) Pull(ctx context.Context, name string, tell func(status string, done, total int64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(PullLimit, func() {
		cancel(fmt.Errorf("no model registry answers within %s", PullLimit))
	})
	defer late.Stop()
	err := s.Client().Pull(ctx, &api.PullRequest{Model: name}, func(p api.ProgressResponse) error {
		if p.Total > 0 {
			late.Stop()
		}
		tell(p.Status, p.Completed, p.Total)
		return nil
	})
	if err != nil && context.Cause(ctx) != nil {
		return context.Cause(ctx)
	}
	return err
}

// HostURL completes the address of a person's own server as OLLAMA_HOST has it:
// scheme, name and port may lack, a path such as /v1 may be there.
func HostURL(host string) string {
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "http", host
	}
	rest, _, _ = strings.Cut(rest, "/")
	if rest == "" {
		rest = "127.0.0.1"
	}
	if strings.HasPrefix(rest, "0.0.0.0") {
		rest = "127.0.0.1" + strings.TrimPrefix(rest, "0.0.0.0")
	}
	if strings.HasPrefix(rest, ":") {
		rest = "127.0.0.1" + rest
	}
	if !strings.Contains(rest[strings.LastIndex(rest, "]")+1:], ":") {
		switch scheme {
		case "http":
			rest += ":11434"
		case "https":
			rest += ":443"
		}
	}
	return scheme + "://" + rest
}
