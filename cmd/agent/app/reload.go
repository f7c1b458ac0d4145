package app

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// reload puts a policy and settings in force, each agent's as soon as none of its
// turns runs. The policy is read where it was at the start, since that place is
// protected. An error changes nothing.
func (a *service) reload(ctx context.Context, started, cfg config.Config) error {
	pol, builtin, err := LoadPolicy(started)
	if err != nil {
		return err
	}
	if builtin != nil && a.agents[0].policy.Load().Hash() != pol.Hash() {
		return event.Errorf("policy", "put the file back; without one a start runs in the built-in policy", "the policy file %s is gone", started.Policy)
	}
	var change []func()
	for _, r := range a.agents {
		f, err := r.changed(pol, started, cfg)
		if err != nil {
			return err
		}
		change = append(change, f)
	}
	if err := a.store.Audit.Record(ctx, audit.Line{
		Time: time.Now(), Kind: "note", Subject: "policy " + pol.Name() + " read again by the operator", Digest: pol.Hash(),
	}); err != nil {
		return fmt.Errorf("put the reload on record: %w", err)
	}
	for i, r := range a.agents {
		r.Between(change[i])
	}
	a.reloaded(builtin, started, cfg)
	return nil
}

// changed is what puts an agent's new settings in force. An agent that the config
// does not have any more keeps its settings, under the new policy.
func (r *instance) changed(pol *policy.Policy, started, cfg config.Config) (func(), error) {
	own, entry, ok := cfg.Of(r.id)
	if !ok {
		own, entry, _ = started.Of(r.id)
	}
	narrow, err := narrowed(pol, entry)
	if err != nil {
		return nil, err
	}
	overlay, err := overlayOf(entry)
	if err != nil {
		return nil, err
	}
	was, _, _ := started.Of(r.id)
	t := runtime.Tuning{
		Budget: budgetOf(own.Prompt), Limits: limitsOf(own), Knobs: knobsOf(own.Prompt), Overlay: overlay,
		Hooks: r.hooksOf(own), Skills: skillsOf(was, r.place, entry.Skills), Temp: own.Model.Temperature,
	}
	return func() {
		r.policy.Store(narrow)
		r.Retune(t)
	}, nil
}

// reloaded keeps for status what the last reload had to say.
func (a *service) reloaded(builtin *event.Notice, started, cfg config.Config) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reread = nil
	if builtin == nil {
		a.notices = slices.DeleteFunc(a.notices, func(n event.Notice) bool { return n.Code == policyBuiltin })
	}
	if _, later := ChangedKeys(started, cfg); len(later) > 0 {
		a.reread = append(a.reread, event.Notice{
			Code: "next_start", Message: "changed since the start and in force from the next one: " + strings.Join(later, ", "),
			Hint: "start the agent again when no turn runs",
		})
	}
}

// ChangedKeys names the settings that differ: those that a reload puts in force, and
// those that wait for the next start.
func ChangedKeys(a, b config.Config) (now, later []string) {
	now, later = []string{}, []string{}
	x, y := a.Flat(), b.Flat()
	for _, key := range slices.Sorted(maps.Keys(merged(x, y))) {
		switch {
		case reflect.DeepEqual(x[key], y[key]):
		case changeable(key) && known(a, b, key):
			now = append(now, key)
		default:
			later = append(later, key)
		}
	}
	return now, later
}

func merged(x, y map[string]any) map[string]any {
	out := maps.Clone(x)
	maps.Copy(out, y)
	return out
}

// changeable reports whether a setting may change while the agents run.
func changeable(key string) bool {
	switch section, name, _ := strings.Cut(key, "."); section {
	case "turn", "prompt", "hook":
		return true
	case "model":
		return name == "num_predict" || name == "temperature"
	case "agent":
		name = name[strings.LastIndexByte(name, '.')+1:]
		return name != "id" && name != "workspace" && name != "model"
	}
	return false
}

// known reports whether the agent of a key is there before and after.
func known(a, b config.Config, key string) bool {
	rest, ofAgent := strings.CutPrefix(key, "agent.")
	if !ofAgent {
		return true
	}
	id := rest[:strings.LastIndexByte(rest, '.')]
	return slices.Contains(a.AgentIDs(), id) && slices.Contains(b.AgentIDs(), id)
}
