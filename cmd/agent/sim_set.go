package main

import (
	"context"
	"fmt"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
)

func simSetCommand() subcommand {
	return subcommand{
		name: "sim set", args: "NAME=VALUE", short: "change what the simulated board measures",
		long: `
Gives a reading of the simulated board another value, with its unit; an agent that
runs on it sees it at its next look. "off" takes a reading away, "ok" brings it
back; both and every value end a fault.

  agent sim set tj-thermal=71.5C
  agent sim set VDD_IN=4.2V
  agent sim set mode=MAXN_SUPER
`,
		run: func(_ context.Context, inv *invocation) error {
			if len(inv.args) != 1 {
				return usageError("agent help sim set", "sim set wants one NAME=VALUE")
			}
			name, value, ok := strings.Cut(inv.args[0], "=")
			if !ok {
				return usageError("agent help sim set", "sim set wants NAME=VALUE, not %q", inv.args[0])
			}
			b, err := openSim(inv)
			if err != nil {
				return err
			}
			if err := b.Set(name, value); err != nil {
				return event.Errorf("sim", "agent sim show lists what there is", "%v", err)
			}
			if inv.json {
				return showSim(inv, b)
			}
			fmt.Fprintf(inv.stdout, "set %s\n", term.OneLine(inv.args[0], 80))
			return nil
		},
	}
}
