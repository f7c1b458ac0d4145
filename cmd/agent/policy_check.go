package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/policy"
	"hardshell/runtime/gateway"
)

func policyCheckCommand() subcommand {
	var q gateway.JudgeQuery
	var script, args string
	return subcommand{
		name: "policy check", args: "[-- ARGV…]", short: "what policy would say of a command or a tool call",
		long: `
Says what policy would decide, by which rule and why. Nothing is run. Exit code 0
allow, 3 deny, 6 ask.

  agent policy check -- cat log.txt
  agent policy check --attended --json -- apt install jq
  agent policy check --script 'tail -n 20 log.txt | grep fan'
  agent policy check --tool write --args '{"path":"a.txt","content":"x"}'
`,
		flags: func(fs *flag.FlagSet) { judgeFlags(fs, &q, &script, &args) },
		run: func(ctx context.Context, inv *invocation) error {
			if err := fill("policy check", &q, script, args, inv.args); err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			h.otherPolicy()
			return showDecision(ctx, inv, h, q)
		},
	}
}

// otherPolicy warns where the agent that runs judges by something else than what the
// policy file holds that this command line means. The file is compared, not read.
func (l *link) otherPolicy() {
	if l.way().held != nil || l.cfg.wrong != nil {
		return
	}
	hash, err := app.PolicyHash(l.cfg.Config)
	switch {
	case err != nil:
		p, _ := judge(err)
		l.warn(p.Code, fmt.Sprintf("%s; process %d judges by the policy that it has in force", p.Message, l.way().status.PID), p.Hint)
	case hash != l.way().status.Policy:
		l.warn("other_policy", fmt.Sprintf("process %d judges by the policy that it has in force, and that is not what %s holds now", l.way().status.PID, l.cfg.Policy),
			fmt.Sprintf("kill -HUP %d has agent serve read its file again; --state with another folder judges by this one", l.way().status.PID))
	}
}

// judgeFlags are the flags that name an action.
func judgeFlags(fs *flag.FlagSet, q *gateway.JudgeQuery, script, args *string) {
	fs.StringVar(&q.Agent, "agent", "", "`id` of the agent, whose profile counts; main unless given")
	fs.BoolVar(&q.Attended, "attended", false, "as if a person were present")
	fs.StringVar(&q.Job, "job", "", "as a run of the job with this `id`, which nobody attends")
	fs.StringVar(script, "script", "", "shell `text` instead of ARGV")
	fs.StringVar(&q.Tool, "tool", "", "`name` of the tool, with --args")
	fs.StringVar(args, "args", "", "`object` with the tool's arguments, in JSON")
}

// fill makes a query of the three ways to ask; exactly one must be used.
func fill(command string, q *gateway.JudgeQuery, script, args string, argv []string) error {
	hint := "agent help " + command
	ways := 0
	for _, used := range []bool{len(argv) > 0, script != "", q.Tool != ""} {
		if used {
			ways++
		}
	}
	switch {
	case ways != 1:
		return usageError(hint, "%s wants one of -- ARGV…, --script TEXT, --tool NAME", command)
	case q.Job != "" && q.Attended:
		return usageError(hint, "--job is a run that nobody attends: leave --attended out")
	case q.Tool == "" && args != "":
		return usageError(hint, "--args needs --tool")
	case q.Tool != "" && args == "":
		args = "{}"
	case script != "":
		q.Tool, args = "exec", object("script", script)
	case len(argv) > 0:
		q.Tool, args = "exec", object("argv", argv)
	}
	if !json.Valid([]byte(args)) {
		return usageError(hint, "--args is no JSON object: %s", term.OneLine(args, 80))
	}
	q.Args = json.RawMessage(args)
	return nil
}

// object is a JSON object with one field.
func object(key string, val any) string {
	b, err := json.Marshal(map[string]any{key: val})
	if err != nil { // strings always marshal
		panic("agent: internal error: " + err.Error())
	}
	return string(b)
}

// showDecision asks and prints; the exit code is the verdict.
func showDecision(ctx context.Context, inv *invocation, l *link, q gateway.JudgeQuery) error {
	x, err := ask(ctx, l, gateway.Judge, q)
	if err != nil {
		return err
	}
	d := x.Decision
	if d.Matched == nil {
		d.Matched = []policy.Match{}
	}
	if inv.json {
		term.JSON(inv.stdout, d)
	} else {
		showVerdict(inv, d)
		for _, m := range d.Matched {
			fmt.Fprintf(inv.stdout, "  %-5s %s: %s\n", m.Verdict, term.OneLine(m.Rule, 80), term.OneLine(m.Why, 300))
		}
	}
	return verdictExit(d.Verdict)
}

// showVerdict prints a decision with its reason.
func showVerdict(inv *invocation, d policy.Decision) {
	fmt.Fprintf(inv.stdout, "%s by %s: %s\n", d.Verdict, term.OrNone(term.OneLine(d.Rule, 80)), term.OneLine(d.Reason, 600))
	if d.Hint != "" {
		fmt.Fprintf(inv.stdout, "hint: %s\n", term.OneLine(d.Hint, 600))
	}
}

// verdictExit is the exit code of a verdict, as an error.
func verdictExit(v policy.Verdict) error {
	switch v {
	case policy.Allow:
		return nil
	case policy.Ask:
		return &failure{exit: exitAsk, told: true}
	}
	return &failure{exit: exitRefused, told: true}
}
