package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

func statusCommand() subcommand {
	var of address
	return subcommand{
		name: "status", short: "what the agent is and does now",
		long: `
Shows the process that holds the store, the model, each conversation, files that
are newer than a conversation's prompt, open questions and what the last turn cost.

  agent status
  agent status --agent night --json
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("status"); err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return showStatus(ctx, inv, h, of.agent)
		},
	}
}

// showStatus prints what the agent tells of itself.
func showStatus(ctx context.Context, inv *invocation, l *link, id string) error {
	st, err := ask(ctx, l, gateway.Status, id)
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, st)
		return nil
	}
	name := st.Model
	if name == "" {
		name = "the best one that the server has, chosen at the first question"
	}
	rows := [][]string{
		{"agent", fmt.Sprintf("%s, process %d", st.Agent, st.PID)},
		{"machine", strings.Trim(fmt.Sprintf("%s, %s, %s/%s", st.Host.Name, st.Host.Board, st.Host.OS, st.Host.Arch), ", ")},
		{"workspace", st.Dir},
		{"model", name},
	}
	if len(st.Agents) > 1 {
		rows = slices.Insert(rows, 1, []string{"all agents", strings.Join(st.Agents, ", ")})
	}
	if st.Window > 0 {
		rows = append(rows, []string{"window", fmt.Sprintf("%d tokens", st.Window)})
	}
	for _, s := range st.Sessions {
		rows = append(rows, sessionRows(s, st.Running)...)
	}
	for _, r := range append(st.Commands, st.Ended...) {
		rows = append(rows, []string{"command", r.Line() + ", conversation " + r.Session})
	}
	for _, a := range st.Asked {
		rows = append(rows, []string{"question", fmt.Sprintf("%s: %s", a.ID, actionOf(a.Agent, a.Subject))})
	}
	if len(st.Waiting) > 0 {
		rows = append(rows, []string{"waiting", strings.Join(st.Waiting, ", ")})
	}
	rows = append(rows, cacheRows(st)...)
	if st.Last != nil {
		rows = append(rows, []string{"last turn", term.UsageLine(*st.Last)})
	}
	for _, n := range st.Notices {
		rows = append(rows, []string{"warning", n.Message})
		if n.Hint != "" {
			rows = append(rows, []string{"  try", n.Hint})
		}
	}
	term.Table(inv.stdout, rows)
	return nil
}

// sessionRows tell of one conversation.
func sessionRows(s runtime.SessionStatus, running []string) [][]string {
	rows := [][]string{{"conversation", sessionLine(s, running)}}
	if s.Model != "" || s.Think != "off" || s.Reasoning != "off" {
		rows = append(rows, []string{"  set to", levelLine(s)})
	}
	for _, step := range s.Plan {
		rows = append(rows, []string{"  plan", step})
	}
	for _, r := range s.Repairs {
		rows = append(rows, []string{"  record", term.Foreign(r)})
	}
	for _, f := range s.Stale {
		rows = append(rows, []string{"  changed", staleLine(f)})
	}
	return rows
}

// cacheRows say what is known of the server's slots, and what keeps them from being
// filled ahead of need.
func cacheRows(st runtime.AgentStatus) [][]string {
	var rows [][]string
	switch {
	case st.Slots.Count > 0:
		rows = append(rows, []string{"slots", fmt.Sprintf("%d: %s", st.Slots.Count, st.Slots.Why)})
	case st.Slots.Why != "":
		rows = append(rows, []string{"slots", "not known: " + st.Slots.Why})
	}
	if st.Spared != "" {
		rows = append(rows, []string{"no warm-up", st.Spared})
	}
	return rows
}

// sessionLine says in one line where a conversation stands.
func sessionLine(s runtime.SessionStatus, running []string) string {
	line := fmt.Sprintf("%s, %d messages", s.ID, s.Messages)
	if s.Messages == 1 {
		line = s.ID + ", 1 message"
	}
	for _, id := range running {
		if id == s.ID {
			line += ", a turn runs now"
		}
	}
	return line
}

// levelLine says what a conversation is set to.
func levelLine(s runtime.SessionStatus) string {
	line := "think " + s.Think + ", reasoning " + s.Reasoning
	if s.Model != "" {
		line = "model " + s.Model + ", " + line
	}
	return line
}
