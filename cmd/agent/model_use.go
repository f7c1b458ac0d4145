package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
)

func modelUseCommand() subcommand {
	return subcommand{
		name: "model use", args: "NAME", short: "settle on a model",
		long: `
Writes model.name into the config file, after a look whether the server has the
model. Everything else in the file stays as it is. A running agent goes on with
its model until it is started anew, which is then said; /model takes another one in
a conversation at once.

  agent model use qwen3:4b
`,
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 1 || inv.args[0] == "" {
				return usageError("agent model list shows the names", "model use wants one NAME")
			}
			cfg, client, err := modelServer(inv)
			if err != nil {
				return err
			}
			info, err := client.Show(ctx, cfg.ModelOf(inv.args[0]))
			if err == nil {
				err = model.Answers(info)
			}
			if err != nil {
				return err
			}
			return useModel(ctx, inv, cfg, info)
		},
	}
}

// useModel writes a model's name into the config file.
func useModel(ctx context.Context, inv *invocation, cfg config.Config, info model.Info) error {
	path, err := configFile(inv, cfg)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return event.Errorf("config", "correct its permissions", "the config file can't be read: %v", err)
	}
	text, err := config.SetString(path, old, "model.name", info.Name)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = renameio.WriteFile(path, text, 0o644, renameio.WithExistingPermissions())
	}
	if err != nil {
		return event.Errorf("config", "run it as the owner of the file, or name another one with --config", "the config file can't be written: %v", err)
	}
	name, held := term.OneLine(info.Name, 200), heldModel(ctx, cfg, info.Name)
	switch {
	case inv.json:
		term.JSON(inv.stdout, struct {
			Model   string   `json:"model"`
			File    string   `json:"file"`
			Running *running `json:"running,omitempty"`
		}{info.Name, path, held})
	case held != nil:
		fmt.Fprintf(inv.stdout, "%s is the model from the next start on, in %s\n", name, path)
		fmt.Fprintf(inv.stderr, "%s the agent that runs (process %d) goes on with %s until it is started anew\n", term.Mark, held.PID, cmp.Or(term.OneLine(held.Model, 200), "the model that it chose"))
		fmt.Fprintf(inv.stderr, "try: /model %s in a conversation takes it there from the next message on\n", name)
	default:
		fmt.Fprintf(inv.stdout, "%s is the model now, in %s\n", name, path)
	}
	now, err := inv.load()
	if err != nil {
		return err
	}
	if from := now.From["model.name"]; now.Model.Name != info.Name && !strings.HasPrefix(from, "line ") {
		fmt.Fprintf(inv.stderr, "%s warning: %s still wins over the file\n", term.Mark, from)
	} else if now.Model.Name != info.Name {
		fmt.Fprintf(inv.stderr, "%s warning: the [[agent]] main has a model of its own, %s (%s), which still wins; change or remove that line\n", term.Mark, term.OneLine(now.Model.Name, 200), from)
	}
	if !info.Can("tools") {
		fmt.Fprintf(inv.stderr, "%s warning: this model has no calls of its own: the tools stand in its system text, its answers are held to JSON, and it will do less\n", term.Mark)
	}
	return nil
}

// running is an agent that goes on with another model.
type running struct {
	PID   int    `json:"pid"`
	Model string `json:"model"`
}

// heldModel is the agent that runs with another model than the one of that name; nil
// where none does.
func heldModel(ctx context.Context, cfg config.Config, name string) *running {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	client, st, err := app.Dial(ctx, cfg)
	if err != nil {
		return nil
	}
	client.Close()
	if st.Model == name {
		return nil
	}
	return &running{PID: st.PID, Model: st.Model}
}

// statusWait bounds what a command waits for a running agent that it does not need.
const statusWait = 2 * time.Second

// configFile is the config file to write: the one that was read, else where it
// would be read from.
func configFile(inv *invocation, cfg config.Config) (string, error) {
	if cfg.File != "" {
		return cfg.File, nil
	}
	src, err := inv.sources()
	if err != nil {
		return "", err
	}
	path := src.File()
	if path == "" {
		return "", usageError("name a file with --config", "there is no place for a config file, since HOME is not set")
	}
	return path, nil
}
