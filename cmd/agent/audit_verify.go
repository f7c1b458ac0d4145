package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
)

func auditVerifyCommand() command {
	return command{
		name: "audit verify", short: "prove that nobody changed the record",
		long: `
Checks the whole chain of the audit: a flipped byte, a missing record, a cut tail
and a chain that was computed anew are found. Exit code 0 when it is whole, 1 when
it is not. The head value, noted elsewhere, proves later that nothing before it
changed.

  agent audit verify
`,
		run: func(ctx context.Context, c *call) error {
			if err := c.noArgs("audit verify"); err != nil {
				return err
			}
			h, err := c.connect(ctx)
			if err != nil {
				return err
			}
			defer h.Close()
			return c.verifyAudit(ctx, h)
		},
	}
}

// verifyAudit checks the audit and prints what was found.
func (c *call) verifyAudit(ctx context.Context, agent auditor) error {
	rep, err := agent.AuditVerify(ctx)
	if err != nil {
		return err
	}
	switch {
	case c.json:
		term.JSON(c.stdout, rep)
	case rep.OK():
		fmt.Fprintf(c.stdout, "whole: %s in %s\n", term.Counted(rep.Records, "record"), term.Counted(rep.Segments, "segment"))
		if rep.Head != "" {
			fmt.Fprintf(c.stdout, "head: %s\n", rep.Head)
		}
	default:
		fmt.Fprintf(c.stdout, "broken: %s in %s\n", term.Counted(rep.Count, "problem"), term.Counted(rep.Records, "record"))
		for _, p := range rep.Problems {
			fmt.Fprintf(c.stdout, "  record %d, %s line %d: %s\n", p.Seq, term.OneLine(p.Segment, 80), p.Line, term.OneLine(p.What, 300))
		}
	}
	if !c.json {
		for _, n := range rep.Notes {
			fmt.Fprintf(c.stderr, "%s note: %s\n", term.Mark, term.OneLine(n, 300))
		}
	}
	if !rep.OK() {
		return &failure{exit: exitFailed, told: true}
	}
	return nil
}
