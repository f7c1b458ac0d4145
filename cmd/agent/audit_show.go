package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/policy/audit"
	"hardshell/runtime/gateway"
)

func auditShowCommand() subcommand {
	return subcommand{
		name: "audit show", args: "SEQ", short: "one record of the audit, whole",
		long: `
Shows everything that one record of the audit holds: who asked for what in which
turn, the digest of the action, what policy said, what came of it, and the record's
place in the chain. The numbers are those of agent audit tail.

  agent audit show 17
  agent audit show --json 17
`,
		run: func(ctx context.Context, inv *invocation) error {
			if len(inv.args) != 1 {
				return usageError("agent audit tail shows the numbers", "audit show wants one SEQ")
			}
			seq, err := strconv.ParseUint(inv.args[0], 10, 64)
			if err != nil || seq < 1 {
				return usageError("give a number from 1", "%q is no number of a record", inv.args[0])
			}
			h, err := openRecords(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return showRecord(ctx, inv, h, seq)
		},
	}
}

// showRecord prints one record.
func showRecord(ctx context.Context, inv *invocation, l *link, seq uint64) error {
	r, err := ask(ctx, l, gateway.AuditShow, gateway.Number(seq))
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, r)
		return nil
	}
	var rows [][]string
	for _, f := range recordFields(r) {
		if f[1] != "" {
			rows = append(rows, f)
		}
	}
	term.Table(inv.stdout, rows)
	return nil
}

// recordFields are a record's fields by name.
func recordFields(r audit.Line) [][]string {
	took := ""
	if r.Millis > 0 {
		took = term.Millis(r.Millis)
	}
	return [][]string{
		{"record", strconv.FormatUint(r.Seq, 10)},
		{"time", r.Time.Local().Format(time.DateTime)},
		{"kind", r.Kind},
		{"agent", r.Agent},
		{"conversation", r.Session},
		{"turn", r.Turn},
		{"run", r.Run},
		{"call", r.Call},
		{"tool", r.Tool},
		{"subject", r.Subject},
		{"digest", r.Digest},
		{"verdict", r.Verdict},
		{"rule", r.Rule},
		{"reason", r.Reason},
		{"approval", r.Approval},
		{"outcome", r.Outcome},
		{"layers", strings.Join(r.Layers, ", ")},
		{"started", strings.Join(r.Starts, ", ")},
		{"took", took},
		{"previous", r.Prev},
		{"chain", r.Chain},
	}
}
