package main

import (
	"context"
	"fmt"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
)

func simFaultCommand() subcommand {
	return subcommand{
		name: "sim fault", args: "NAME", short: "make a reading of the simulated board fail",
		long: `
Makes a reading of the simulated board fail until agent sim set gives it a value
or "ok". The name "board" makes the whole board fall silent.

  agent sim fault tj-thermal
  agent sim set tj-thermal=ok
`,
		run: func(_ context.Context, inv *invocation) error {
			if len(inv.args) != 1 {
				return usageError("agent help sim fault", "sim fault wants one NAME")
			}
			b, err := openSim(inv)
			if err != nil {
				return err
			}
			if err := b.Fault(inv.args[0]); err != nil {
				return event.Errorf("sim", "agent sim show lists what there is", "%v", err)
			}
			if inv.json {
				return showSim(inv, b)
			}
			fmt.Fprintf(inv.stdout, "%s fails\n", term.OneLine(inv.args[0], 80))
			return nil
		},
	}
}
