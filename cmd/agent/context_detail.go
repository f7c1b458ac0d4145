package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hardshell/assembly"
	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

// largest is how many sections "agent context detail" shows.
const largest = 10

func contextDetailCommand() subcommand {
	var of address
	return subcommand{
		name: "context detail", short: "what takes most of the prompt",
		long: `
Shows what to shorten: the largest sections of the system text, the tools by the
size of what they add to the tool array, the skills by the size of their entries,
and what the model's own template adds, as its server renders it. Where no server
answers it says so; everything else is shown.

  agent context detail
  agent context detail --session main --json
`,
		flags: func(fs *flag.FlagSet) {
			of.register(fs, "the prompt that the conversation of this `name` has frozen")
		},
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("context detail"); err != nil {
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
			return showLargest(ctx, inv, h, q)
		},
	}
}

// showLargest prints what takes most of a prompt.
func showLargest(ctx context.Context, inv *invocation, l *link, q runtime.ViewQuery) error {
	q.Rendered = true
	v, err := ask(ctx, l, gateway.View, q)
	if err != nil {
		return err
	}
	showDetail(inv, detailOf(v))
	viewNotices(inv, v)
	return nil
}

// detail is what "agent context detail --json" prints.
type detail struct {
	Sections []assembly.Part       `json:"sections"`
	Tools    []assembly.Part       `json:"tools"`
	Skills   []assembly.SkillEntry `json:"skills"`
	Rendered *runtime.Rendered     `json:"rendered"`
}

// detailOf sorts a view by size.
func detailOf(v runtime.View) detail {
	d := detail{Sections: []assembly.Part{}, Tools: []assembly.Part{}, Skills: assembly.SkillEntries(v.System), Rendered: v.Rendered}
	for _, p := range v.Report.Parts {
		switch {
		case p.Used == 0:
		case strings.HasPrefix(p.Name, "tool "):
			d.Tools = append(d.Tools, p)
		default:
			d.Sections = append(d.Sections, p)
		}
	}
	bySize := func(a, b assembly.Part) int { return cmp.Compare(b.Used, a.Used) }
	slices.SortStableFunc(d.Sections, bySize)
	slices.SortStableFunc(d.Tools, bySize)
	slices.SortStableFunc(d.Skills, func(a, b assembly.SkillEntry) int { return cmp.Compare(b.Bytes, a.Bytes) })
	d.Sections = d.Sections[:min(largest, len(d.Sections))]
	if d.Rendered != nil {
		r := *d.Rendered
		r.Text = "" // agent context prompt --rendered shows it
		d.Rendered = &r
	}
	return d
}

// showDetail prints a view by size.
func showDetail(inv *invocation, d detail) {
	if inv.json {
		term.JSON(inv.stdout, d)
		return
	}
	rows := [][]string{{"SECTION", "FILE", "BYTES", "~TOKENS"}}
	for _, p := range d.Sections {
		rows = append(rows, []string{p.Name, p.Source, strconv.Itoa(p.Used), strconv.Itoa(p.Tokens)})
	}
	term.Table(inv.stdout, rows)
	rows = [][]string{{"TOOL", "BYTES", "~TOKENS"}}
	for _, p := range d.Tools {
		rows = append(rows, []string{strings.TrimPrefix(p.Name, "tool "), strconv.Itoa(p.Used), strconv.Itoa(p.Tokens)})
	}
	fmt.Fprintln(inv.stdout)
	term.Table(inv.stdout, rows)
	rows = [][]string{{"SKILL", "BYTES"}}
	for _, s := range d.Skills {
		rows = append(rows, []string{s.Name, strconv.Itoa(s.Bytes)})
	}
	fmt.Fprintln(inv.stdout)
	term.Table(inv.stdout, rows)
	fmt.Fprintf(inv.stdout, "\n%s\n", overheadLine(d.Rendered))
}

// overheadLine says what the template adds.
func overheadLine(r *runtime.Rendered) string {
	switch {
	case r == nil:
		return "template: the running agent shows no renderings"
	case r.Problem != nil:
		return "template: unknown, " + term.OneLine(r.Problem.Message, 300)
	}
	return fmt.Sprintf("template: %+d bytes (%d rendered from %d of system text, tool array and messages)", r.Template, r.Bytes, r.Payload)
}
