package app

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"

	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
)

// App is the agents of this process, with the store of their state folder.
type App struct {
	Client *gateway.Client // reaches them from within the process
	Socket string          // where other processes reach them
	Broken chan error      // gives what a listener failed with

	service *service
	server  *gateway.Server
	socket  net.Listener // nil where nobody else is served
	tell    func(event.Event)
	ctx     context.Context // of the whole life; its end ends turns

	between    context.Context // of the work between turns
	cool       context.CancelFunc
	background sync.WaitGroup
}

// Dial reaches the agents of another process and gives what the agent main tells of
// itself.
func Dial(ctx context.Context, cfg config.Config) (*gateway.Client, runtime.AgentStatus, error) {
	client := gateway.NewClient(gateway.Dial(Socket(cfg)))
	st, err := gateway.Status.Ask(ctx, client, "")
	if err != nil {
		client.Close()
		return nil, st, err
	}
	return client, st, nil
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
