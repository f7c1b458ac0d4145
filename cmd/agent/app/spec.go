package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/workspace"
)

// spec is what belongs to one agent alone: its settings, its folder, what holds
// its commands, and the policy as its profile narrows it.
type spec struct {
	id     string
	cfg    config.Config // its own
	entry  config.Agent
	folder workspace.Folder
	box    Box
	policy *policy.Policy
}

// specOf reads and checks what belongs to an agent.
func (p *parts) specOf(cfg config.Config, id string) (*spec, error) {
	l := &spec{id: id}
	l.cfg, l.entry, _ = cfg.Of(id)
	var err error
	if l.policy, err = narrowed(p.policy, l.entry); err != nil {
		return nil, err
	}
	if l.folder, err = workspace.Open(l.cfg.Workspace); err != nil {
		return nil, ofAgent(id, err)
	}
	if l.box, err = NewBox(l.cfg, others(cfg, l.cfg.Workspace)); err != nil {
		return nil, ofAgent(id, err)
	}
	return l, nil
}

// named is what something in the state is called that belongs to this agent alone.
func (l *spec) named(name string) string {
	if l.id == event.MainAgent {
		return name
	}
	return name + "-" + l.id
}

// patches is where the agent's patches are kept while they are applied.
func (l *spec) patches() string { return filepath.Join(l.cfg.State, l.named("patches")) }

// narrowed is the policy under the profile of an agent.
func narrowed(pol *policy.Policy, a config.Agent) (*policy.Policy, error) {
	if a.Profile == "" {
		return pol, nil
	}
	narrow, err := pol.Profile(a.Profile)
	if err != nil {
		return nil, event.Errorf("config", "correct profile below the [[agent]], or add the profile to the policy file", "agent %q: %v", a.ID, err)
	}
	return narrow, nil
}

// others are the workspaces of the agents that work elsewhere.
func others(cfg config.Config, own string) []string {
	var out []string
	for _, id := range cfg.AgentIDs() {
		c, _, _ := cfg.Of(id)
		if Real(c.Workspace) != Real(own) && !slices.Contains(out, c.Workspace) {
			out = append(out, c.Workspace)
		}
	}
	return out
}

// ofAgent says which agent something is wrong with, where there could be a doubt.
func ofAgent(id string, err error) error {
	if id == event.MainAgent {
		return err
	}
	return event.Errorf("workspace", "correct workspace below its [[agent]], or make the folder: agent init --workspace DIR", "agent %q: %v", id, err)
}

// Check looks at what each agent works with, as a start would: its profile, its folder, and
// whether that can be kept apart from what commands must not see. A folder that is not
// there yet is only told.
func Check(cfg config.Config, pol *policy.Policy) (absent []event.Notice, err error) {
	p := &parts{policy: pol}
	for _, id := range cfg.AgentIDs() {
		own, entry, _ := cfg.Of(id)
		if _, err := os.Stat(own.Workspace); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, event.Notice{
				Code: "workspace", Message: fmt.Sprintf("the workspace %s of agent %q does not exist yet", own.Workspace, id), Hint: "agent init --workspace " + own.Workspace,
			})
			if _, err := narrowed(pol, entry); err != nil {
				return nil, err
			}
			continue
		}
		if _, err := p.specOf(cfg, id); err != nil {
			return nil, err
		}
	}
	return absent, nil
}
