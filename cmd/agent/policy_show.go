package main

import (
	"context"
	"flag"
	"strings"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/policy"
	"hardshell/runtime/event"
)

func policyShowCommand() subcommand {
	var only string
	return subcommand{
		name: "policy show", short: "every rule in force, built-in ones and waivers included",
		long: `
Lists the rules: the built-in ones, which no file can remove, then those of the
policy file in its order, then the profiles. A built-in rule that the operator
waived says so with the reason. --rule shows the rules whose id begins so.

  agent policy show
  agent policy show --rule exec.git
`,
		flags: func(fs *flag.FlagSet) {
			fs.StringVar(&only, "rule", "", "`prefix` of the ids to show")
		},
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("policy show"); err != nil {
				return err
			}
			_, pol, err := policyFile(inv)
			if err != nil {
				return err
			}
			var rules []policy.Rule
			for _, r := range pol.Rules() {
				if strings.HasPrefix(r.ID, only) {
					rules = append(rules, r)
				}
			}
			if rules == nil {
				return event.Errorf("no_rule", "agent policy show lists them all", "no rule's id begins with %q", only)
			}
			showRules(inv, rules)
			return nil
		},
	}
}

// policyFile reads the policy as the agent would, and tells from where; its
// examples are run with it.
func policyFile(inv *invocation) (path string, pol *policy.Policy, err error) {
	cfg, err := inv.load()
	if err != nil {
		return "", nil, err
	}
	pol, notice, err := app.LoadPolicy(cfg)
	if err != nil {
		return "", nil, err
	}
	if notice != nil {
		term.NewVoice(inv.stdout, inv.stderr, inv.getenv).Notice(*notice)
	}
	return cfg.Policy, pol, nil
}

// showRules prints rules as a table.
func showRules(inv *invocation, rules []policy.Rule) {
	if inv.json {
		term.JSON(inv.stdout, struct {
			Rules []policy.Rule `json:"rules"`
		}{rules})
		return
	}
	rows := [][]string{{"RULE", "VERDICT", "WHY", "FORM"}}
	for _, r := range rules {
		verdict := r.Verdict.String()
		if r.Waived != "" {
			verdict = "waived: " + r.Waived
		}
		rows = append(rows, []string{r.ID, verdict, r.Why, r.Form})
	}
	term.Table(inv.stdout, rows)
}
