package app

import (
	"context"
	"os"
	"path/filepath"

	"hardshell/runtime/config"
	"hardshell/runtime/gateway"
)

// App is the way to the agent: in this process, when it holds the store, or in
// the one that does. Either way the agent is reached through Client.
type App struct {
	Client *gateway.Client
	Socket string
	Broken chan error // gives what a listener failed with
	Held   bool       // by this process

	warm   func(session string) // begins a warm-up of the model; nil in a client of another process
	wake   func()               // lets ends of commands wake the agent; nil in a client
	left   func()               // see WakeLeft; nil in a client, as is reload
	reload func(started, cfg config.Config) error
	close  func()
}

// WarmUp has the model read the prompt ahead of a session's first question, where
// this process holds the agent.
func (h *App) WarmUp(session string) {
	if h.warm != nil {
		h.warm(session)
	}
}

// WakeUp has the end of a command in the background wake its conversation, where
// this process holds the agent. Else the end is told with the next message.
func (h *App) WakeUp() {
	if h.wake != nil {
		h.wake()
	}
}

// WakeLeft wakes the conversations that were not told of the end of a command before
// this start; only the process that holds the agents can do it.
func (h *App) WakeLeft() { h.left() }

// Reload puts in force what may change of policy and settings while the agents run,
// each agent's as soon as none of its turns runs. An error changes nothing. started is
// what they were started with; only the process that holds them can do it.
func (h *App) Reload(started, cfg config.Config) error { return h.reload(started, cfg) }

// Close lets go of the agent. A process that holds the store first lets the turns
// of other terminals end.
func (h *App) Close() { h.close() }

// Dial reaches the agents of another process.
func Dial(ctx context.Context, cfg config.Config) (*App, error) {
	socket := Socket(cfg)
	client := gateway.NewClient(gateway.Dial(socket))
	if _, err := client.Status(ctx, ""); err != nil {
		client.Close()
		return nil, err
	}
	return &App{Client: client, Socket: socket, close: client.Close}, nil
}

// runDir is where an installed agent has its socket; the service makes it.
const runDir = "/run/hardshell"

// Socket is where the agent of a state folder listens: in that folder, and
// for the machine's own agent in runDir.
func Socket(cfg config.Config) string {
	if st, err := os.Stat(runDir); err == nil && st.IsDir() && cfg.State == config.MachineState {
		return filepath.Join(runDir, "agent.sock")
	}
	return filepath.Join(cfg.State, "agent.sock")
}

// accessOf says who may use a socket: an installed agent serves the members of its
// group, a person's own serves that person.
func accessOf(socket string) gateway.Access {
	return gateway.Access(filepath.Dir(socket) == runDir)
}
