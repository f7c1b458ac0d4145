package app

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/policy/wording"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
	"hardshell/tools"
)

// service is every agent of this process with what they share, as the gateway serves
// it.
type service struct {
	agents    []*instance // main first
	approvals *approval.Broker
	records
	notices []event.Notice

	mu     sync.Mutex
	reread []event.Notice // what the last reload had to say
	turns  int            // that run now, of any terminal
	idle   chan struct{}  // closed when turns falls to 0; nil when nobody waits
}

// agent is the one of an id; empty is main.
func (a *service) agent(id string) (*instance, error) {
	var ids []string
	for _, r := range a.agents {
		if r.id == id || id == "" {
			return r, nil
		}
		ids = append(ids, r.id)
	}
	return nil, noAgent(id, ids)
}

// noAgent says that there is no such agent, and which is meant.
func noAgent(id string, ids []string) error {
	return event.Errorf("no_agent", "the agents are "+strings.Join(ids, ", ")+"; an [[agent]] in config.toml adds one",
		"there is no agent %q%s", id, wording.Meant(id, "", ids))
}

// owner is the agent of a session.
func (a *service) owner(id string) (*instance, error) {
	agent, _ := session.Owner(id)
	return a.agent(agent)
}

// Turn runs a turn of the session's agent. It counts the turns of all terminals, so
// that the process does not end under another's. A warm-up of any agent makes room.
func (a *service) Turn(ctx context.Context, ask runtime.Ask, sink func(event.Event)) event.End {
	r, err := a.owner(ask.Session)
	if err != nil {
		end := event.End{Status: runtime.FailedTurn, Error: event.ProblemOf(err)}
		sink(event.Event{Kind: event.TurnEnd, Time: time.Now(), Session: ask.Session, End: &end})
		return end
	}
	a.mu.Lock()
	a.turns++
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.turns--; a.turns == 0 && a.idle != nil {
			close(a.idle)
			a.idle = nil
		}
	}()
	for _, other := range a.agents {
		other.Cool()
	}
	return r.Turn(ctx, ask, sink)
}

// Stop ends the turn that runs in a session.
func (a *service) Stop(_ context.Context, session string) (bool, error) {
	r, err := a.owner(session)
	return err == nil && r.Stop(session), nil
}

// Reset starts a session anew.
func (a *service) Reset(_ context.Context, session string) error {
	r, err := a.owner(session)
	if err != nil {
		return err
	}
	return r.Reset(session)
}

// Adjust sets what a session has of its own.
func (a *service) Adjust(ctx context.Context, ch runtime.Change) (runtime.SessionSettings, error) {
	r, err := a.owner(ch.Session)
	if err != nil {
		return runtime.SessionSettings{}, err
	}
	return r.Adjust(ctx, ch)
}

// View renders an agent's prompt without sending it.
func (a *service) View(ctx context.Context, q runtime.ViewQuery) (runtime.View, error) {
	id, _ := session.Owner(q.Session)
	if q.Session == "" {
		id = q.Agent
	}
	r, err := a.agent(id)
	if err != nil {
		return runtime.View{}, err
	}
	return r.View(ctx, q)
}

// Record is the record of a turn.
func (a *service) Record(_ context.Context, q gateway.RecordQuery) (session.TurnRecord, error) {
	r, err := a.owner(q.Session)
	if err != nil {
		return session.TurnRecord{}, err
	}
	return r.Record(q.Session, q.Turn)
}

// Status is an agent's own, with what the start and the store have to say by now.
func (a *service) Status(ctx context.Context, id string) (runtime.AgentStatus, error) {
	r, err := a.agent(id)
	if err != nil {
		return runtime.AgentStatus{}, err
	}
	st := r.Status(ctx)
	st.Policy = r.policy.Load().Hash()
	a.mu.Lock()
	st.Notices, st.Agents = slices.Insert(slices.Clone(st.Notices), 0, slices.Concat(a.notices, a.reread)...), nil
	a.mu.Unlock()
	for _, other := range a.agents {
		st.Agents = append(st.Agents, other.id)
	}
	for _, n := range a.store.Notices() {
		known := false
		for _, k := range st.Notices {
			known = known || k == n
		}
		if !known {
			st.Notices = append(st.Notices, n)
		}
	}
	return st, nil
}

// Close ends every running turn.
func (a *service) Close() {
	for _, r := range a.agents {
		r.Close()
	}
}

// running gives a channel that closes when no turn runs any more; nil when none
// runs now.
func (a *service) running() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns == 0 {
		return nil
	}
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	return a.idle
}

// busy reports whether a turn of any agent is under way, or about to be.
func (a *service) busy() bool {
	return a.running() != nil || slices.ContainsFunc(a.agents, func(r *instance) bool { return r.Working() })
}

// Judge says what policy would decide about a call; nothing happens.
func (a *service) Judge(ctx context.Context, q gateway.JudgeQuery) (policy.Explanation, error) {
	r, err := a.agent(q.Agent)
	if err != nil {
		return policy.Explanation{}, err
	}
	from := tools.Origin{Agent: r.id, Session: session.Of(r.id, ""), Run: "chat", Attended: q.Attended}
	if q.Job != "" {
		from.Run, from.Job = "cron", q.Job
	}
	if q.Explain {
		return r.reg.Explain(ctx, from, q.Tool, q.Args), nil
	}
	return policy.Explanation{Decision: r.reg.Judge(ctx, from, q.Tool, q.Args)}, nil
}

var _ gateway.Agents = (*service)(nil)
