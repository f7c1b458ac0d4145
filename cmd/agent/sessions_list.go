package main

import (
	"context"
	"flag"
	"slices"
	"strconv"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

func sessionsListCommand() subcommand {
	var of address
	return subcommand{
		name: "sessions list", short: "the conversations that are stored",
		long: `
Lists every conversation in the store: when it began, when it was last used and how
many entries (messages, turns, prompts) it has. A conversation of another agent than main
is AGENT/NAME; --agent lists those of one agent. No model server is needed.

  agent sessions list
  agent sessions list --agent night --json
`,
		flags: func(fs *flag.FlagSet) { of.registerAgent(fs) },
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("sessions list"); err != nil {
				return err
			}
			h, err := openRecords(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return listSessions(ctx, inv, h, of.agent)
		},
	}
}

// listSessions prints the stored conversations, those of one agent where one is
// named: also of an agent that the config no longer has.
func listSessions(ctx context.Context, inv *invocation, l *link, of string) error {
	list, err := ask(ctx, l, gateway.Sessions, gateway.All{})
	if err != nil {
		return err
	}
	if of != "" {
		list = slices.DeleteFunc(list, func(s store.SessionInfo) bool {
			owner, _ := session.Owner(s.ID)
			return owner != of
		})
		if len(list) == 0 {
			if _, err := ask(ctx, l, gateway.Status, of); err != nil {
				return err
			}
		}
	}
	if inv.json {
		if list == nil {
			list = []store.SessionInfo{}
		}
		term.JSON(inv.stdout, struct {
			Sessions []store.SessionInfo `json:"sessions"`
		}{list})
		return nil
	}
	rows := [][]string{{"CONVERSATION", "BEGAN", "LAST USED", "ENTRIES"}}
	for _, s := range list {
		rows = append(rows, []string{
			s.ID, s.Created.Local().Format(time.DateTime), s.Updated.Local().Format(time.DateTime), strconv.FormatUint(s.Last, 10),
		})
	}
	term.List(inv.stdout, inv.stderr, rows, "no conversation is stored")
	return nil
}
