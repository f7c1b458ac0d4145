package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/policy/audit"
	"hardshell/runtime/gateway"
)

func auditTailCommand() subcommand {
	n := 20
	return subcommand{
		name: "audit tail", short: "the last decisions and acts on record",
		long: `
Shows the newest records of the audit, oldest first: who asked for what, what
policy said and what came of it. A record is a decision, the act that came of it, the
start of a program that a command starts by itself (the first one of each program and
verdict), or a note of what happened without a call.

  agent audit tail -n 50
  agent audit tail --json
`,
		flags: func(fs *flag.FlagSet) { fs.IntVar(&n, "n", n, "`number` of records") },
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("audit tail"); err != nil {
				return err
			}
			if n < 1 {
				return usageError("give a number from 1", "-n %d is no number of records", n)
			}
			h, err := openRecords(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return showRecords(ctx, inv, h, n)
		},
	}
}

// showRecords prints the newest records.
func showRecords(ctx context.Context, inv *invocation, l *link, n int) error {
	recs, err := ask(ctx, l, gateway.AuditTail, gateway.Number(n))
	if err != nil {
		return err
	}
	if inv.json {
		if recs == nil {
			recs = []audit.Line{}
		}
		term.JSON(inv.stdout, struct {
			Records []audit.Line `json:"records"`
		}{recs})
		return nil
	}
	rows := [][]string{{"SEQ", "TIME", "KIND", "RUN", "VERDICT", "RULE", "OUTCOME", "SUBJECT"}}
	for _, r := range recs {
		rows = append(rows, []string{
			strconv.FormatUint(r.Seq, 10), r.Time.Local().Format(time.DateTime), r.Kind, r.Run, r.Verdict, r.Rule, r.Outcome, subjectOf(r),
		})
	}
	term.List(inv.stdout, inv.stderr, rows, "nothing is on record yet")
	return nil
}

// subjectOf is what a record is about.
func subjectOf(r audit.Line) string {
	switch {
	case r.Subject != "":
		return r.Subject
	case r.Tool != "":
		return r.Tool
	}
	return fmt.Sprint(r.Reason)
}
