package app

import (
	"crypto/sha256"
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
	src, err := policyFile(cfg)
	switch {
	case err != nil:
		return nil, nil, err
	case src == nil:
		return policy.Builtin(), &event.Notice{
			Code:    policyBuiltin,
			Message: fmt.Sprintf("there is no policy file %s, so the agent may read the workspace and nothing else", cfg.Policy),
			Hint:    "agent init writes the lab policy",
		}, nil
	}
	p, err := policy.Parse(cfg.Policy, src)
	return p, nil, err
}

// PolicyHash identifies what the policy file of a config holds, in order or not; it is
// the Hash of the policy that a start would read.
func PolicyHash(cfg config.Config) (string, error) {
	src, err := policyFile(cfg)
	if err != nil || src == nil {
		return policy.Builtin().Hash(), err
	}
	return fmt.Sprintf("%x", sha256.Sum256(src)), nil
}

// policyFile reads the policy file; nil where nobody named one and there is none.
func policyFile(cfg config.Config) ([]byte, error) {
	src, err := os.ReadFile(cfg.Policy)
	switch {
	case os.IsNotExist(err) && cfg.From["policy"] == "" || cfg.Policy == "":
		return nil, nil
	case err != nil:
		return nil, event.Errorf("policy", "name the right one with --policy, or write the lab policy with agent init", "the policy file can't be read: %v", err)
	case src == nil:
		src = []byte{}
	}
	return src, nil
}
