package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
)

// beatCommand is a command as docs/develop.md says to add one: a file of its own, and
// its line in the table.
func beatCommand() subcommand {
	var bpm int
	return subcommand{
		name: "beat", args: "", short: "how long a beat lasts",
		long:  "Prints how long a beat lasts, in milliseconds.\n\n  agent beat --bpm 120\n",
		flags: func(fs *flag.FlagSet) { fs.IntVar(&bpm, "bpm", 60, "`beats` a minute") },
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("beat"); err != nil {
				return err
			}
			if bpm <= 0 {
				return usageError("give a number above 0", "%d beats a minute are none", bpm)
			}
			fmt.Fprintf(inv.stdout, "%d ms\n", 60_000/bpm)
			return nil
		},
	}
}

// TestCommandRecipe parses and runs the new command, and shows it in the help.
func TestCommandRecipe(t *testing.T) {
	table := append(commands(), beatCommand()) // the one line of run.go
	line, err := parse(table, []string{"beat", "--bpm", "120"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	inv := &invocation{globals: line.globals, args: line.args, stdout: &out}
	if err := line.cmd.run(t.Context(), inv); err != nil || out.String() != "500 ms\n" {
		t.Errorf("it writes %q, %v", out.String(), err)
	}
	line, err = parse(table, []string{"beat", "--bpm=-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, code := judge(line.cmd.run(t.Context(), inv)); code != exitUsage {
		t.Errorf("a wrong number ends with %d, want %d", code, exitUsage)
	}
	if !strings.Contains(overview(table), "beat") || !strings.Contains(line.cmd.usage(), "--bpm") {
		t.Error("the help does not show it")
	}
}
