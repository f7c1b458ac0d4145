package main

import (
	"context"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/config"
)

func configSchemaCommand() subcommand {
	return subcommand{
		name: "config schema", short: "the JSON Schema of config.toml",
		long: "Prints the JSON Schema of the config file: every key with meaning, range and default.\n\n  agent config schema > config.schema.json\n",
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("config schema"); err != nil {
				return err
			}
			term.IndentedJSON(inv.stdout, config.Schema())
			return nil
		},
	}
}
