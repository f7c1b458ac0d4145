package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"

	"hardshell/cmd/agent/app"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

func serveCommand() subcommand {
	return subcommand{
		name: "serve", short: "the agent without a terminal, for other commands and jobs",
		long: `
Holds the store and serves the agent's socket until it is told to stop; ask, chat
and the other commands become its clients. It logs JSON lines to stderr and tells
systemd when it is ready. SIGHUP reads config and policy again: a bad file is told
and changes nothing. Policy, profiles, hooks, the limits of a turn and what bounds the
prompt are in force as soon as no turn runs; it names what waits for the next start.

Exit code 78 means that command line, config, workspace or policy file are wrong and
stay so until somebody corrects them; all others may be tried again.

  agent serve
`,
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("serve"); err != nil {
				return err
			}
			cfg, err := inv.load()
			if err != nil {
				return err
			}
			return runServe(ctx, inv, cfg)
		},
	}
}

// runServe runs the agent until ctx ends.
func runServe(ctx context.Context, inv *invocation, cfg config.Config) error {
	log := slog.New(slog.NewJSONHandler(inv.stderr, nil))
	hup := make(chan os.Signal, 1) // from here on a reload is no end
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	h, err := holdStore(ctx, inv, cfg, log)
	if err != nil {
		return err
	}
	defer h.Close()
	log.Info("serving", "socket", h.Socket, "workspace", cfg.Workspace, "pid", os.Getpid())
	// Without systemd nobody listens, and that is no fault.
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	h.WarmUp("")
	h.WakeUp()
	watched := make(chan struct{})
	ready := sync.OnceFunc(func() { close(watched) })
	go func() {
		// It ends with the agent, and nobody else has to know.
		_ = gateway.Watch.Follow(ctx, h.Client, "*", ready, seeAll(logged{log}.woken))
		ready()
	}()
	<-watched
	h.WakeLeft()
	for {
		select {
		case <-hup:
			reread(inv, h, cfg, log)
		case err := <-h.Broken:
			return event.Errorf("gateway", "start it again", "the agent's socket broke: %v", err)
		case <-ctx.Done():
			_, _ = daemon.SdNotify(false, daemon.SdNotifyStopping)
			log.Info("stopping")
			return nil
		}
	}
}

// holdStore starts the agents once whoever looks into the store has done so.
func holdStore(ctx context.Context, inv *invocation, cfg config.Config, log *slog.Logger) (*app.App, error) {
	ready, err := app.Prepare(cfg, environmentOf(inv, logged{log}, log))
	if err != nil {
		return nil, err
	}
	for line := (holders{}); ; {
		h, err := ready.Start(ctx, retry)
		if !errors.Is(err, store.Busy) || line.stuck(err) || ctx.Err() != nil {
			return h, err
		}
		if err := line.stopped(); err != nil {
			return nil, err
		}
	}
}

// reread looks at config and policy again, puts in force what may change while the
// agents run, and says what came of it. started is what they were started with.
func reread(inv *invocation, h *app.App, started config.Config, log *slog.Logger) {
	cfg, err := inv.load()
	if err == nil {
		err = h.Reload(started, cfg)
	}
	if err != nil {
		p, _ := judge(err)
		log.Error("the new settings are refused; the old ones stay in force", "problem", p.Message, "hint", p.Hint)
		return
	}
	now, later := app.ChangedKeys(started, cfg)
	log.Info("read again: in force as soon as no turn runs", "policy", started.Policy, "changed", now, "from_the_next_start", later)
}

// logged shows notices as lines of the log.
type logged struct{ log *slog.Logger }

// woken logs a turn that nobody's message began, and why one could not begin. What a
// turn has to notice it logs by itself.
func (l logged) woken(e event.Event) {
	if e.Turn == "" {
		l.Event(e)
	}
	if e.End != nil {
		l.log.Info("woken", "session", e.Session, "turn", e.Turn, "status", e.End.Status, "answer", e.End.Answer)
	}
}

func (l logged) Event(e event.Event) {
	if e.Notice != nil {
		l.log.Warn("notice", "code", e.Notice.Code, "message", e.Notice.Message, "hint", e.Notice.Hint)
	}
}
