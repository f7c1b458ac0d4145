package main

import (
	"context"
	"fmt"
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
		printJSON(c.stdout, rep)
	case rep.OK():
		fmt.Fprintf(c.stdout, "whole: %s in %s\n", counted(rep.Records, "record"), counted(rep.Segments, "segment"))
		if rep.Head != "" {
			fmt.Fprintf(c.stdout, "head: %s\n", rep.Head)
		}
	default:
		fmt.Fprintf(c.stdout, "broken: %s in %s\n", counted(rep.Count, "problem"), counted(rep.Records, "record"))
		for _, p := range rep.Problems {
			fmt.Fprintf(c.stdout, "  record %d, %s line %d: %s\n", p.Seq, oneLine(p.Segment, 80), p.Line, oneLine(p.What, 300))
		}
	}
	if !c.json {
		for _, n := range rep.Notes {
			fmt.Fprintf(c.stderr, "%s note: %s\n", mark, oneLine(n, 300))
		}
	}
	if !rep.OK() {
		return &failure{exit: exitFailed, told: true}
	}
	return nil
}
