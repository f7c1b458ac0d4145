package app

import (
	"fmt"
	"os"

	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// policyBuiltin is the code of the notice that there is no policy file.
const policyBuiltin = "policy_builtin"

// LoadPolicy reads the policy file of a config. Where nobody named one and there is
// none, the built-in policy takes its place, and a notice says so.
func LoadPolicy(cfg config.Config) (*policy.Policy, *event.Notice, error) {
	path, named := cfg.Policy, cfg.From["policy"] != ""
	src, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err) && !named || path == "":
		return policy.Builtin(), &event.Notice{
			Code:    policyBuiltin,
			Message: fmt.Sprintf("there is no policy file %s, so the agent may read the workspace and nothing else", path),
			Hint:    "agent init writes the lab policy",
		}, nil
	case err != nil:
		return nil, nil, event.Errorf("policy", "name the right one with --policy, or write the lab policy with agent init", "the policy file can't be read: %v", err)
	}
	p, err := policy.Parse(path, src)
	return p, nil, err
}
