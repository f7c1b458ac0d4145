package main

import (
	"context"
	"fmt"
	"strconv"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/model"
	"hardshell/runtime/model/template"
)

func modelCheckCommand() subcommand {
	return subcommand{
		name: "model check", args: "[NAME]", short: "does a model's template keep the prompt cache",
		long: `
Has the model server render a conversation of three turns with tools, without
running the model, as the agent would send it (with model.think, and for a model
without tools in envelopes), and says whether each turn's prompt begins with the one
before.
Where it does not, the server reads the rest anew at each turn: shown is where, and
how many bytes. NAME is the model in use unless given. Exit code 1 when the cache
is lost somewhere.

  agent model check
  agent model check --json llama3.1:8b
`,
		run: func(ctx context.Context, inv *invocation) error {
			s, err := checkSubject(ctx, inv, "model check")
			if err != nil {
				return err
			}
			rep, err := template.Check(ctx, s.client, template.Like(s.info, s.numCtx, s.level))
			if err != nil {
				return err
			}
			return showCheck(inv, rep, s.info)
		},
	}
}

// subject is the model that a command is about.
type subject struct {
	client *model.Client
	info   model.Info
	numCtx int
	level  string // model.think
}

// checkSubject finds the model that the command line names, else the configured one,
// else the one that the agent would choose.
func checkSubject(ctx context.Context, inv *invocation, command string) (subject, error) {
	if len(inv.args) > 1 {
		return subject{}, usageError("agent help "+command, "%s takes one NAME, not %d", command, len(inv.args))
	}
	cfg, client, err := modelServer(inv)
	if err != nil {
		return subject{}, err
	}
	s := subject{client: client, level: cfg.Model.Think}
	name := cfg.ModelOf(cfg.Model.Name)
	if len(inv.args) == 1 {
		name = cfg.ModelOf(inv.args[0])
	}
	chosen, err := app.Chooser(cfg, client).Choose(ctx, name)
	if err != nil {
		return subject{}, err
	}
	s.info, s.numCtx = chosen.Info, windowOf(ctx, client, chosen)
	return s, nil
}

// windowOf is the window to ask for, in tokens: the one that the model is loaded
// with, so that the server has no reason to load it anew, else the agent's.
func windowOf(ctx context.Context, client *model.Client, chosen model.Choice) int {
	loaded, err := client.Running(ctx)
	for _, l := range loaded {
		if err == nil && l.Window > 0 && (l.Name == chosen.Info.Name || l.Name == chosen.Info.Name+":latest") {
			return l.Window
		}
	}
	return chosen.NumCtx
}

// showCheck prints what a check found; the error is for a cache that is lost.
func showCheck(inv *invocation, rep template.Report, info model.Info) error {
	if inv.json {
		term.JSON(inv.stdout, struct {
			template.Report
			Renderer string `json:"renderer"`
		}{rep, info.Renderer})
	} else {
		checkTable(inv, rep)
		checkAdvice(inv, rep, info)
	}
	if !rep.Safe {
		return &failure{exit: exitFailed, told: true}
	}
	return nil
}

// checkTable prints a check step by step and what follows from it.
func checkTable(inv *invocation, rep template.Report) {
	rows := [][]string{{"THE CONVERSATION GROWS BY", "BYTES", "KEPT", "LOST", "WHERE"}}
	for _, s := range rep.Steps {
		rows = append(rows, []string{s.What, strconv.Itoa(s.Before), strconv.Itoa(s.Kept), strconv.Itoa(s.Lost), s.Part})
	}
	term.Table(inv.stdout, rows)
	for _, s := range rep.Steps {
		if s.Lost > 0 {
			fmt.Fprintf(inv.stdout, "\n%s\n  was: %s\n  is:  %s\n", s.What, strconv.Quote(term.Foreign(s.Was)), strconv.Quote(term.Foreign(s.Is)))
		}
	}
	name := term.OneLine(rep.Model, 200)
	if rep.Safe {
		fmt.Fprintf(inv.stdout, "\n%s keeps its cache from turn to turn\n", name)
		return
	}
	fmt.Fprintf(inv.stdout, "\n%s loses its cache: %d of %d bytes are read again in %d of %d steps, and with a real conversation more\n",
		name, lostBytes(rep), bytesOf(rep), lostSteps(rep), len(rep.Steps))
}

// checkAdvice says on stderr what can be done about what was found.
func checkAdvice(inv *invocation, rep template.Report, info model.Info) {
	name := term.OneLine(rep.Model, 200)
	if info.Renderer != "" {
		fmt.Fprintf(inv.stderr, "%s note: %s is rendered by the server's own renderer %q, so a template has no say\n", term.Mark, name, term.Foreign(info.Renderer))
	}
	if rep.Enveloped {
		fmt.Fprintf(inv.stderr, "%s note: %s takes no tool array: the tools stand in the system text, and each answer is held to one JSON object\n", term.Mark, name)
	}
	if rep.Answers {
		fmt.Fprintf(inv.stderr, "%s note: %s opens an answer otherwise than it repeats it, so the server reads each answer once more\n", term.Mark, name)
	}
	switch {
	case rep.Tools:
	case rep.Enveloped:
		fmt.Fprintf(inv.stderr, "%s warning: the system text is not in the prompt of %s, so it knows neither rules nor tools\n", term.Mark, name)
	default:
		fmt.Fprintf(inv.stderr, "%s warning: the tools are not in the prompt of %s, so it can't call them natively\n", term.Mark, name)
	}
	switch {
	case rep.Safe:
	case info.Renderer != "":
		fmt.Fprintf(inv.stderr, "try: another model (agent model list)\n")
	default:
		fmt.Fprintf(inv.stderr, "try: agent model fix %s\n", name)
	}
}

// bytesOf, lostBytes and lostSteps sum up the steps of a check.
func bytesOf(rep template.Report) (n int) {
	for _, s := range rep.Steps {
		n += s.Before
	}
	return n
}

func lostBytes(rep template.Report) (n int) {
	for _, s := range rep.Steps {
		n += s.Lost
	}
	return n
}

func lostSteps(rep template.Report) (n int) {
	for _, s := range rep.Steps {
		if s.Lost > 0 {
			n++
		}
	}
	return n
}
