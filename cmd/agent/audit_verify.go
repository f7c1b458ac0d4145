package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/gateway"
)

func auditVerifyCommand() subcommand {
	return subcommand{
		name: "audit verify", short: "prove that nobody changed the record",
		long: `
Checks the whole chain of the audit: a flipped byte, a missing record, a cut tail
and a chain that was computed anew are found. Exit code 0 when it is whole, 1 when
it is not. The head value, noted elsewhere, proves later that nothing before it
changed.

  agent audit verify
`,
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("audit verify"); err != nil {
				return err
			}
			h, err := openRecords(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			return verifyAudit(ctx, inv, h)
		},
	}
}

// verifyAudit checks the audit and prints what was found.
func verifyAudit(ctx context.Context, inv *invocation, l *link) error {
	rep, err := ask(ctx, l, gateway.AuditVerify, gateway.All{})
	if err != nil {
		return err
	}
	switch {
	case inv.json:
		term.JSON(inv.stdout, rep)
	case rep.OK():
		fmt.Fprintf(inv.stdout, "whole: %s in %s\n", term.Counted(rep.Records, "record"), term.Counted(rep.Segments, "segment"))
		if rep.Head != "" {
			fmt.Fprintf(inv.stdout, "head: %s\n", rep.Head)
		}
	default:
		fmt.Fprintf(inv.stdout, "broken: %s in %s\n", term.Counted(rep.Count, "problem"), term.Counted(rep.Records, "record"))
		for _, p := range rep.Problems {
			fmt.Fprintf(inv.stdout, "  record %d, %s line %d: %s\n", p.Seq, term.OneLine(p.Segment, 80), p.Line, term.OneLine(p.What, 300))
		}
	}
	if !inv.json {
		for _, n := range rep.Notes {
			fmt.Fprintf(inv.stderr, "%s note: %s\n", term.Mark, term.OneLine(n, 300))
		}
	}
	if !rep.OK() {
		return &failure{exit: exitFailed, told: true}
	}
	return nil
}
