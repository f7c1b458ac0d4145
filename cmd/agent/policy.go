package main

import (
	"fmt"
	"os"

	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// policyBuiltin is the code of the notice that there is no policy file.
const policyBuiltin = "policy_builtin"

// named reports whether somebody chose a setting.
func (c *call) named(key string, cfg config.Config) bool { return cfg.From[key] != "" }

// loadPolicy reads the policy file. Where nobody named one and there is none, the
// built-in policy takes its place, and a notice says so.
func loadPolicy(path string, named bool) (*policy.Policy, *event.Notice, error) {
	src, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err) && !named || path == "":
		return policy.Builtin(), &event.Notice{
			Code:    policyBuiltin,
			Message: fmt.Sprintf("there is no policy file %s, so the agent may read the workspace and nothing else", path),
			Hint:    "agent init writes the lab policy",
		}, nil
	case err != nil:
		return nil, nil, &failure{exit: exitUsage, Problem: event.Problem{
			Code: "policy", Message: fmt.Sprintf("the policy file can't be read: %v", err), Hint: "name the right one with --policy, or write the lab policy with agent init",
		}}
	}
	p, err := policy.Parse(path, src)
	return p, nil, err
}
