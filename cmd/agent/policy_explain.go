package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/policy"
	"hardshell/runtime/gateway"
)

func policyExplainCommand() subcommand {
	q := gateway.JudgeQuery{Explain: true}
	var script, args string
	return subcommand{
		name: "policy explain", args: "[-- ARGV…]", short: "how policy comes to its verdict, and what would change it",
		long: `
Says what policy would decide, as policy check does, and how: each command and each
path that was found in the action, in the order in which it was judged; what every
rule that matched says of it; which rules speak of it and don't fit, and why; which
word decided, and what would have to be different. Nothing is run. Exit code 0
allow, 3 deny, 6 ask.

  agent policy explain -- head -f log.txt
  agent policy explain --attended --script 'grep fan log.txt | python3 plot.py'
  agent policy explain --json --tool write --args '{"path":"../a.txt","content":"x"}'
`,
		flags: func(fs *flag.FlagSet) { judgeFlags(fs, &q, &script, &args) },
		run: func(ctx context.Context, inv *invocation) error {
			if err := fill("policy explain", &q, script, args, inv.args); err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			h.otherPolicy()
			x, err := ask(ctx, h, gateway.Judge, q)
			if err != nil {
				return err
			}
			if inv.json {
				term.JSON(inv.stdout, x)
			} else {
				showExplanation(inv, x)
			}
			return verdictExit(x.Verdict)
		},
	}
}

// showExplanation prints a decision and the way to it.
func showExplanation(inv *invocation, x policy.Explanation) {
	showVerdict(inv, x.Decision)
	for _, p := range x.Parts {
		fmt.Fprintf(inv.stdout, "\n%s%s\n", strings.Repeat("  ", p.Depth), term.OneLine(partLine(p), 600))
		indent := strings.Repeat("  ", p.Depth+1)
		for _, s := range p.Said {
			mark := ""
			if s.Decides {
				mark = "  (decides)"
			}
			fmt.Fprintf(inv.stdout, "%s%-5s %s: %s%s\n", indent, s.Verdict, term.OneLine(s.Rule, 80), term.OneLine(s.Reason, 600), mark)
		}
		for _, n := range p.Near {
			fmt.Fprintf(inv.stdout, "%snot   %s (%s): %s\n", indent, term.OneLine(n.Rule, 80), term.OneLine(n.Form, 200), term.OneLine(n.Misfit, 300))
		}
	}
	if len(x.Change) > 0 {
		fmt.Fprint(inv.stdout, "\nit would be different if\n")
	}
	for _, ch := range x.Change {
		fmt.Fprintf(inv.stdout, "  %s\n", term.OneLine(ch, 600))
	}
}

// partLine is a part in one line.
func partLine(p policy.Part) string {
	line := p.Kind + " " + p.Text
	if p.Access != "" {
		line += " (" + p.Access + ")"
	}
	if p.Real != "" && p.Real != p.Text {
		line += " → " + p.Real
	}
	return line
}
