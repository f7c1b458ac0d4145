package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
)

func policyTestCommand() subcommand {
	return subcommand{
		name: "policy test", short: "read the policy file and try its examples",
		long: `
Reads the policy file as the agent does at its start and runs the examples of each
rule. Exit code 2 when something is wrong, with every mistake, its line and column.

  agent policy test --policy deploy/jetson/policy.toml
`,
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("policy test"); err != nil {
				return err
			}
			path, pol, err := policyFile(inv)
			if err != nil {
				return err
			}
			rules := len(pol.Rules())
			if inv.json {
				term.JSON(inv.stdout, struct {
					Policy string `json:"policy"`
					Hash   string `json:"policy_sha256"`
					Rules  int    `json:"rules"`
				}{path, pol.Hash(), rules})
				return nil
			}
			fmt.Fprintf(inv.stdout, "%s: in order, %d rules with the built-in ones, every example as it should be\n", path, rules)
			return nil
		},
	}
}
