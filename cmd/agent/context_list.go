package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"hardshell/assembly"
	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

func contextListCommand() subcommand {
	var of address
	return subcommand{
		name: "context list", short: "what the prompt is made of, with sizes",
		long: `
Lists every part of the prompt with the file it came from, its size before and
after cutting and an estimate of its tokens; then the tool array, the history, the
window, the files that changed after the prompt was made and what the last turn
reused.

  agent context list
  agent context list --session main --json
`,
		flags: func(fs *flag.FlagSet) {
			of.register(fs, "the prompt that the conversation of this `name` has frozen")
		},
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("context list"); err != nil {
				return err
			}
			q, err := of.view()
			if err != nil {
				return err
			}
			h, err := connectToPrompt(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return showParts(ctx, inv, h, q)
		},
	}
}

// showParts lists the parts of a prompt.
func showParts(ctx context.Context, inv *invocation, l *link, q runtime.ViewQuery) error {
	v, err := ask(ctx, l, gateway.View, q)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, v)
		return nil
	}
	rows := [][]string{{"PART", "FILE", "RAW", "USED", "~TOKENS", "SHA256", ""}}
	for _, p := range v.Report.Parts {
		rows = append(rows, []string{p.Name, p.Source, strconv.Itoa(p.Raw), strconv.Itoa(p.Used), strconv.Itoa(p.Tokens), short(p.Hash), partNote(p)})
	}
	rows = append(rows,
		[]string{"tool array", "", "", strconv.Itoa(v.ToolArray.Bytes), strconv.Itoa(v.ToolArray.Tokens), "", ""},
		[]string{"history", "", "", strconv.Itoa(v.History.Bytes), strconv.Itoa(v.History.Tokens), "", ""})
	term.Table(inv.stdout, rows)
	name := v.Model
	if name == "" {
		name = "no model yet"
	}
	fmt.Fprintf(inv.stdout, "\n%s: window %d tokens, %d of them kept for the reply\n", term.OneLine(name, 80), v.Window, v.Reserve)
	for _, f := range v.Stale {
		fmt.Fprintf(inv.stdout, "changed: %s\n", staleLine(f))
	}
	if v.Reuse != nil {
		fmt.Fprintf(inv.stdout, "last turn: %s\n", term.UsageLine(*v.Reuse))
	}
	viewNotices(inv, v)
	return nil
}

// viewNotices tells what should be known about a view.
func viewNotices(inv *invocation, v runtime.View) {
	voice := term.NewVoice(inv.stdout, inv.stderr, inv.getenv)
	for _, n := range v.Notices {
		voice.Notice(n)
	}
}

// staleLine names a workspace file that is newer than a prompt.
func staleLine(f assembly.Changed) string {
	return fmt.Sprintf("%s: %s in the prompt, %s now; /new lets it in", term.OneLine(f.Name, 80), short(f.Frozen), short(f.Now))
}

// partNote says what is special about a part.
func partNote(p assembly.Part) string {
	switch {
	case p.Note != "":
		return p.Note
	case p.Cut:
		return "cut"
	}
	return ""
}

// short is the head of a hash.
func short(hash string) string { return hash[:min(12, len(hash))] }
