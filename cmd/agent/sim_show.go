package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/hw/sim"
)

func simShowCommand() subcommand {
	return subcommand{
		name: "sim show", short: "the simulated board from outside",
		long: `
Shows the outside world of the simulated board of this state folder: what it would
measure, and which readings fail. It needs no running agent.

  agent sim show
  agent sim show --json
`,
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("sim show"); err != nil {
				return err
			}
			b, err := openSim(inv)
			if err != nil {
				return err
			}
			return showSim(inv, b)
		},
	}
}

// openSim is the simulated board of the configured state folder.
func openSim(inv *invocation) (*sim.Board, error) {
	cfg, err := inv.load()
	if err != nil {
		return nil, err
	}
	return app.Sim(cfg)
}

// simWorld is how "agent sim show --json" looks. A reading that fails is null, and
// off says why.
type simWorld struct {
	Lines    map[string]struct{}    `json:"lines"` // the simulated board has no lines yet
	Rails    map[string]*sim.Supply `json:"rails"`
	Temps    map[string]*float64    `json:"temps"`
	Counters map[string]*int64      `json:"counters"`
	Fan      *sim.FanState          `json:"fan"`
	Memory   *sim.MemoryState       `json:"memory"`
	Mode     *string                `json:"mode"`
	Off      map[string]string      `json:"off"`
}

// simWorldOf leaves out what fails.
func simWorldOf(w sim.World) simWorld {
	return simWorld{
		Lines: map[string]struct{}{}, Rails: present(w.Rails, w.Off), Temps: present(w.Temps, w.Off), Counters: present(w.Counters, w.Off),
		Fan: unless(w.Off["fan"], w.Fan), Memory: unless(w.Off["memory"], w.Memory), Mode: unless(w.Off["mode"], w.Mode), Off: w.Off,
	}
}

// present gives the values of a map, nil for those that are off.
func present[T any](all map[string]T, off map[string]string) map[string]*T {
	out := map[string]*T{}
	for n, v := range all {
		out[n] = unless(off[n], v)
	}
	return out
}

// unless gives a value, nil when there is a reason against it.
func unless[T any](off string, v T) *T {
	if off != "" {
		return nil
	}
	return &v
}

// showSim prints the outside world.
func showSim(inv *invocation, b *sim.Board) error {
	w, err := b.World()
	if err != nil {
		return err
	}
	if inv.json {
		term.JSON(inv.stdout, simWorldOf(w))
		return nil
	}
	var rows [][]string
	add := func(name, value string) { rows = append(rows, []string{name, cmp.Or(w.Off[name], value)}) }
	for _, n := range slices.Sorted(maps.Keys(w.Temps)) {
		add(n, fmt.Sprintf("%.1f °C", w.Temps[n]))
	}
	for _, n := range slices.Sorted(maps.Keys(w.Rails)) {
		add(n, fmt.Sprintf("%.3f V, %.3f A", w.Rails[n].Volts, w.Rails[n].Amps))
	}
	for _, n := range slices.Sorted(maps.Keys(w.Counters)) {
		add(n, fmt.Sprint(w.Counters[n]))
	}
	add("fan", fmt.Sprintf("%d %%, %d rpm", w.Fan.Percent, w.Fan.RPM))
	add("memory", fmt.Sprintf("%d MiB of %d MiB available", w.Memory.AvailableMiB, w.Memory.TotalMiB))
	add("mode", w.Mode)
	if w.Off["board"] != "" {
		add("board", "")
	}
	term.Table(inv.stdout, rows)
	return nil
}
