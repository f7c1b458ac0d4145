package app

import (
	"context"
	"errors"
	"slices"

	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/store"
)

// Archive is the records of agents that don't run, served to this process alone.
// Nothing in the state folder is changed, so that a folder which is damaged, read-only or
// another user's is shown as far as it can be read.
type Archive struct {
	Client  *gateway.Client
	Notices []event.Notice // what can't be read, and what a start would mend

	server *gateway.Server
	store  *store.Store
}

// OpenArchive looks at the state folder of a config. The error is store.Busy while
// somebody holds it, and an *OtherOwner's where this user may not read it.
func OpenArchive(cfg config.Config) (*Archive, error) {
	st, err := store.Look(cfg.State, store.Options{})
	if errors.Is(err, store.Foreign) {
		if other := OtherOwnerOf(cfg.State); other != nil {
			return nil, other.Unreached(Socket(cfg))
		}
	}
	if err != nil {
		return nil, err
	}
	local := gateway.NewLocal()
	a := &Archive{
		Client: gateway.NewClient(local.Dial), Notices: st.Notices(),
		server: gateway.NewServer(archived{records: records{st}, ids: cfg.AgentIDs()}), store: st,
	}
	go func() { _ = a.server.Serve(local) }() // ends with Close
	return a, nil
}

// Close ends the look.
func (a *Archive) Close() {
	a.Client.Close()
	_ = a.server.Close()
	_ = a.store.Close() // nothing was written
}

// archived answers for agents that don't run.
type archived struct {
	nobody
	records
	ids []string
}

// nobody has the verbs that only a running agent answers; no command asks them of an
// archive.
type nobody struct{ gateway.Agents }

// Status knows which agents there are, and no more of them.
func (a archived) Status(_ context.Context, agent string) (runtime.AgentStatus, error) {
	if agent != "" && !slices.Contains(a.ids, agent) {
		return runtime.AgentStatus{}, noAgent(agent, a.ids)
	}
	return runtime.AgentStatus{}, nil
}
