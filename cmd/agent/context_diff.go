package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

func contextDiffCommand() subcommand {
	var of address
	return subcommand{
		name: "context diff", args: "[TURN]", short: "where a turn's requests left what the server held",
		long: `
Compares each request of a turn with what the model server held from the one before:
how many leading bytes were the same, which byte was the first to differ and in
which part of the prompt it lies. A request that only grew has no such byte, and the
server reads nothing twice. TURN is the last one unless given.

  agent context diff
  agent context diff --session main t7 --json
`,
		flags: func(fs *flag.FlagSet) { of.register(fs, "`name` of the conversation, main unless given") },
		run: func(ctx context.Context, inv *invocation) error {
			turn, err := turnNamed(inv, "context diff")
			if err != nil {
				return err
			}
			id, err := of.id()
			if err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return showDiff(ctx, inv, h, id, turn)
		},
	}
}

// showDiff prints where the requests of a turn broke.
func showDiff(ctx context.Context, inv *invocation, l *link, id, turn string) error {
	rec, err := ask(ctx, l, gateway.Record, gateway.RecordQuery{Session: id, Turn: turn})
	if err != nil {
		return err
	}
	rep, err := reportOf(rec)
	if err != nil {
		return err
	}
	if inv.json {
		if rep.Requests == nil {
			rep.Requests = []runtime.RequestReport{}
		}
		term.JSON(inv.stdout, struct {
			Session  string                  `json:"session"`
			Turn     string                  `json:"turn"`
			Requests []runtime.RequestReport `json:"requests"`
		}{id, rec.ID, rep.Requests})
		return nil
	}
	fmt.Fprintf(inv.stdout, "turn %s of conversation %s\n\n", term.OneLine(rec.ID, 40), term.OneLine(id, 80))
	rows := [][]string{{"REQUEST", "BYTES", "SAME", "FIRST DIFFERENCE"}}
	for i, r := range rep.Requests {
		rows = append(rows, []string{strconv.Itoa(i + 1), strconv.Itoa(r.Bytes), strconv.Itoa(r.Common), firstDifference(r)})
	}
	term.List(inv.stdout, inv.stderr, rows, "the turn made no request")
	return nil
}

// firstDifference says where a request left what the server held.
func firstDifference(r runtime.RequestReport) string {
	switch {
	case r.Break < 0 && r.Common == 0:
		return "nothing was known to be held"
	case r.Break < 0:
		return "none, it only grew"
	case r.Part == "end":
		return fmt.Sprintf("byte %d: it ends there, and what was held went on", r.Break)
	case r.Part == "model":
		return "byte 0: another model or another window"
	}
	return fmt.Sprintf("byte %d, in %s", r.Break, r.Part)
}
