package main

import (
	"context"
	"fmt"
	"strings"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime/config"
	"hardshell/runtime/model"
)

// modelInfo is one model as "agent model list --json" prints it.
type modelInfo struct {
	Name         string   `json:"name"`
	Family       string   `json:"family"`
	Size         int64    `json:"size_bytes"`
	Window       int      `json:"window"`
	Capabilities []string `json:"capabilities"`
	Configured   bool     `json:"configured"`
	Best         bool     `json:"best"`
}

func modelListCommand() subcommand {
	return subcommand{
		name: "model list", short: "the models that the server has",
		long: `
Lists the models of the model server with size, window and abilities. "in use"
marks the configured one, "best" the one that is taken where none is configured.

  agent model list
  agent model list --json
`,
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("model list"); err != nil {
				return err
			}
			cfg, client, err := modelServer(inv)
			if err != nil {
				return err
			}
			list, err := client.List(ctx)
			if err != nil {
				return err
			}
			loaded, err := client.Running(ctx)
			if err != nil {
				loaded = nil // only an estimate needs it
			}
			return listModels(inv, cfg, client.Addr(), list, loaded)
		},
	}
}

// listModels prints the models of a server.
func listModels(inv *invocation, cfg config.Config, addr string, list []model.Info, loaded []model.Loaded) error {
	best, why, bestErr := model.Best(list, app.Memory().Free, loaded...)
	out := []modelInfo{}
	rows := [][]string{{"MODEL", "FAMILY", "SIZE", "WINDOW", "CAN", ""}}
	for _, m := range list {
		one := modelInfo{
			Name: m.Name, Family: m.Family, Size: m.Size, Window: m.Window, Capabilities: m.Capabilities,
			Configured: m.Name == cfg.Model.Name, Best: bestErr == nil && m.Name == best.Name,
		}
		out = append(out, one)
		rows = append(rows, []string{
			m.Name, m.Family, fmt.Sprintf("%.1f GB", float64(m.Size)/1e9), fmt.Sprint(m.Window), strings.Join(m.Capabilities, " "), modelNote(one),
		})
	}
	if inv.json {
		term.JSON(inv.stdout, struct {
			Server string      `json:"server"`
			Models []modelInfo `json:"models"`
		}{addr, out})
		return nil
	}
	term.List(inv.stdout, inv.stderr, rows, addr+" has no models")
	switch {
	case len(list) == 0:
		fmt.Fprintf(inv.stderr, "try: agent model pull NAME\n")
	case cfg.Model.Name == "" && bestErr == nil:
		fmt.Fprintf(inv.stderr, "%s none is configured, so %s is taken: %s\n", term.Mark, term.OneLine(best.Name, 80), term.OneLine(why, 300))
	case cfg.Model.Name == "":
		p, _ := judge(bestErr)
		term.Report(p, false, inv.stdout, inv.stderr)
	}
	return nil
}

// modelNote says what is special about a model.
func modelNote(m modelInfo) string {
	switch {
	case m.Configured:
		return "in use"
	case m.Best:
		return "best"
	}
	return ""
}

// modelServer is the client of the configured model server, with all settings.
func modelServer(inv *invocation) (config.Config, *model.Client, error) {
	cfg, err := inv.load()
	if err != nil {
		return cfg, nil, err
	}
	client, err := app.NewModel(cfg)
	return cfg, client, err
}
