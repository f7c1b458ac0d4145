package runtime

import (
	"context"
	"os"
	"slices"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
	"hardshell/runtime/warm"
	"hardshell/tools/command"
)

// AgentStatus is what an agent tells of itself. It asks no server: a model that was
// not needed yet is named as configured.
type AgentStatus struct {
	Agent string `json:"agent"`
	// Agents names every agent of the process, main first.
	Agents []string      `json:"agents"`
	PID    int           `json:"pid"`
	Host   assembly.Host `json:"host"`
	Dir    string        `json:"workspace"`
	// Policy is the sha-256 of the policy file that is in force.
	Policy string `json:"policy_sha256,omitempty"`
	// Model and Window are empty and 0 until the first turn chose them.
	Model    string           `json:"model"`
	Family   string           `json:"family,omitempty"`
	Window   int              `json:"window"`
	Sessions []SessionStatus  `json:"sessions"`
	Running  []string         `json:"running"` // sessions with a turn that runs now
	Waiting  []string         `json:"waiting"` // model requests in the lane, first in line first
	Asked    []event.Approval `json:"approvals"`
	// Commands run in the background; Ended have done so and the model does not
	// know of it yet.
	Commands []command.ProcessRecord `json:"commands"`
	Ended    []command.ProcessRecord `json:"ended_commands"`
	Last     *event.Usage            `json:"last_turn,omitempty"`
	Notices  []event.Notice          `json:"notices"`
	// Slots is what was found out about the server's slots; Spared says why nothing
	// is read ahead of need just now, empty when it is.
	Slots  warm.Slots `json:"slots"`
	Spared string     `json:"spared,omitempty"`
}

// SessionStatus is one session of this process.
type SessionStatus struct {
	ID       string `json:"id"`
	Messages int    `json:"messages"`
	LastTurn string `json:"last_turn,omitempty"`
	// Model is set where the conversation has one of its own.
	Model     string `json:"model,omitempty"`
	Window    int    `json:"window,omitempty"` // its window in tokens, once known
	Think     string `json:"think"`
	Reasoning string `json:"reasoning"`
	// Plan is what the model plans, one line for each step, its mark first.
	Plan []string `json:"plan,omitempty"`
	// Repairs say what was wrong with the record and how it is read now.
	Repairs []string `json:"repairs,omitempty"`
	// Stale names files that are newer than this session's prompt.
	Stale []assembly.Changed `json:"changed_files"`
}

// Status looks at the agent as it is now.
func (a *Agent) Status(context.Context) AgentStatus {
	st := AgentStatus{
		Agent: a.cfg.ID, Agents: []string{a.cfg.ID}, PID: os.Getpid(), Host: a.cfg.Host, Dir: a.cfg.Dir, Model: a.models.wanted(nil),
		Sessions: []SessionStatus{}, Running: a.queue.sessions(), Waiting: a.lane.Queue(),
		Asked: a.cfg.Approvals.Open(), Notices: []event.Notice{}, Commands: []command.ProcessRecord{}, Ended: []command.ProcessRecord{},
	}
	if a.cfg.Jobs != nil {
		st.Commands, st.Ended = a.cfg.Jobs.Commands("")
	}
	if st.Waiting == nil {
		st.Waiting = []string{}
	}
	files := a.prompts.Files(prompt.Whole())
	// The main session is always told of; opening it costs one read.
	if _, err := a.sessions.get(a.sessions.own("")); err != nil {
		st.Notices = append(st.Notices, event.Notice{Code: "session", Message: err.Error()})
	}
	st.Slots, st.Spared, st.Last = a.warm.Slots(), a.warm.InTheWay(), a.last.Load()
	if c, ok := a.models.known(a.models.wanted(nil)); ok {
		st.Model, st.Family, st.Window = c.Info.Name, c.Info.Family, c.NumCtx
	}
	for _, open := range a.sessions.inMemory() {
		s, id := open.Session, open.ID()
		one := SessionStatus{
			ID: id, Messages: len(s.Messages()), LastTurn: s.LastTurn(), Think: a.models.level(s), Reasoning: a.models.shows(s),
			Plan: prompt.Plan(s), Repairs: s.Repairs(), Stale: []assembly.Changed{},
		}
		if own := s.Kept(keyModel); own != "" {
			c, _ := a.models.known(own)
			one.Model, one.Window = own, c.NumCtx
		}
		if p, ok := s.Frozen(); ok {
			one.Stale = append(one.Stale, prompt.Stale(id, p, files)...)
		}
		st.Sessions = append(st.Sessions, one)
	}
	slices.SortFunc(st.Sessions, func(x, y SessionStatus) int { return compare(x.ID, y.ID) })
	return st
}

// compare orders the session ids of an agent: its main one first, then by name.
func compare(x, y string) int {
	_, m := session.Owner(x)
	_, n := session.Owner(y)
	switch {
	case m == n:
		return 0
	case m == session.Main:
		return -1
	case n == session.Main:
		return 1
	}
	return strings.Compare(m, n)
}
