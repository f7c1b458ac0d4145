package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

func serveCommand() command {
	return command{
		name: "serve", short: "the agent without a terminal, for other commands and jobs",
		long: `
Holds the store and serves the agent's socket until it is told to stop; ask, chat
and the other commands become its clients. It logs JSON lines to stderr and tells
systemd when it is ready. SIGHUP reads config and policy again: a bad file is told
and changes nothing, a good one is in force from the next start.

  agent serve
`,
		run: func(ctx context.Context, c *call) error {
			if err := c.noArgs("serve"); err != nil {
				return err
			}
			cfg, err := c.load()
			if err != nil {
				return err
			}
			return c.serve(ctx, cfg)
		},
	}
}

// serve runs the agent until ctx ends.
func (c *call) serve(ctx context.Context, cfg config.Config) error {
	log := slog.New(slog.NewJSONHandler(c.stderr, nil))
	hup := make(chan os.Signal, 1) // from here on a reload is no end
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	h, err := c.hold(ctx, cfg, logged{log}, log, patience)
	if err != nil {
		return err
	}
	defer h.Close()
	log.Info("serving", "socket", h.socket, "workspace", cfg.Workspace, "pid", os.Getpid())
	// Without systemd nobody listens, and that is no fault.
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	h.warmUp("")
	h.wakeUp()
	// It ends with the agent, and nobody else has to know.
	go func() { _ = h.client.Watch(ctx, "*", func() {}, logged{log}.woken) }()
	for {
		select {
		case <-hup:
			c.reread(cfg, log)
		case err := <-h.broken:
			return failed("gateway", "start it again", "the agent's socket broke: %v", err)
		case <-ctx.Done():
			_, _ = daemon.SdNotify(false, daemon.SdNotifyStopping)
			log.Info("stopping")
			return nil
		}
	}
}

// reread looks at config and policy again and says what came of it. The running
// agent keeps what it was started with: nothing reads settings after the start.
func (c *call) reread(old config.Config, log *slog.Logger) {
	cfg, err := c.load()
	if err == nil {
		_, _, err = loadPolicy(cfg.Policy, c.named("policy", cfg))
	}
	if err != nil {
		p, _ := judge(err)
		log.Error("the new settings are refused; the old ones stay in force", "problem", p.Message, "hint", p.Hint)
		return
	}
	log.Info("the new settings are in order; they are in force from the next start", "changed", changedKeys(old, cfg))
}

// changedKeys names the settings that differ.
func changedKeys(a, b config.Config) []string {
	out := []string{}
	x, y := a.Flat(), b.Flat()
	for _, f := range config.Fields() {
		if fmt.Sprint(x[f.Key]) != fmt.Sprint(y[f.Key]) {
			out = append(out, f.Key)
		}
	}
	return out
}

// logged shows notices as lines of the log.
type logged struct{ log *slog.Logger }

// woken logs a turn that nobody's message began.
func (l logged) woken(e event.Event) {
	l.event(e)
	if e.End != nil {
		l.log.Info("woken", "session", e.Session, "turn", e.Turn, "status", e.End.Status, "answer", e.End.Answer)
	}
}

func (l logged) event(e event.Event) {
	if e.Notice != nil {
		l.log.Warn("notice", "code", e.Notice.Code, "message", e.Notice.Message, "hint", e.Notice.Hint)
	}
}
