package app

import (
	"context"
	"os"

	"hardshell/assembly"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/sandbox"
	"hardshell/tools"
)

// Box hands the sandbox to the exec tool: the same command in the words of
// each.
type Box struct{ *sandbox.Launcher }

var _ tools.Launcher = Box{}

// NewBox gives the launcher of a workspace. State, config, policy, the program
// itself and the workspaces of other agents are hidden from commands, wherever they
// lie.
func NewBox(cfg config.Config, others []string) (Box, error) {
	hidden := append([]string{cfg.State, cfg.Policy}, others...)
	if cfg.File != "" {
		hidden = append(hidden, cfg.File)
	}
	if own, err := os.Executable(); err == nil {
		hidden = append(hidden, own) // or a command could put another program in its place
	}
	box, err := sandbox.New(sandbox.Config{
		Workspace: cfg.Workspace, Hidden: hidden, WeakerOK: cfg.Sandbox.WeakerOK, Spare: true,
		Limits: sandbox.Limits{Memory: int64(cfg.Exec.Memory), Processes: int64(cfg.Exec.Processes), CPUs: cfg.Exec.CPUs},
	})
	if err != nil {
		return Box{}, event.Errorf("workspace", "name another one with --workspace, or another --state", "%v", err)
	}
	return Box{box}, nil
}

// leftNote is said of a command that ended before what it had started.
const leftNote = "what it had left running was ended with it; to keep something running, start it alone with background: true"

// Run runs one command.
func (l Box) Run(ctx context.Context, c tools.Command) (tools.Exit, error) {
	s := sandbox.Spec{
		Path: c.Path, Argv: c.Argv, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin, Open: c.Open, Timeout: c.Timeout,
		Devices: c.Devices, Read: c.Read, Hidden: c.Hidden, Pinned: c.Pinned, Locked: c.Locked, WritableRun: c.WritableRun, Output: c.Output,
	}
	if c.Started != nil {
		s.Started = func(r *sandbox.Running) {
			c.Started(tools.Started{Live: r, Holder: tools.Holder(r.Holder), Layers: r.Layers, Weaker: r.Weaker})
		}
	}
	if c.Start != nil {
		s.Judge = func(one sandbox.Start) error {
			return c.Start(tools.Start{Program: one.Program, Argv: one.Argv, Cut: one.Cut, Dir: one.Dir})
		}
	}
	x, err := l.Launcher.Run(ctx, s)
	if x.Left {
		x.Struck = append(x.Struck, leftNote)
	}
	var starts, refused []string
	for _, s := range x.Starts {
		if s.Refused == "" {
			starts = append(starts, s.String())
		} else {
			refused = append(refused, s.String())
		}
	}
	return tools.Exit{
		Code: x.Code, Signal: x.Signal, TimedOut: x.TimedOut, Flooded: x.Flooded, Layers: x.Layers, Struck: x.Struck, Starts: starts, Refused: refused, Weaker: x.Weaker, Took: x.Took,
	}, err
}

// Probe finds out what holds commands here; what keeps it from being found out is
// what is missing.
func (l Box) Probe(ctx context.Context) sandbox.Report {
	r, err := l.Launcher.Probe(ctx)
	if err != nil {
		r.Missing = err.Error()
	}
	return r
}

// told is what a person should know of the sandbox, nil when every mandatory layer
// holds.
func told(r sandbox.Report) *event.Notice {
	switch {
	case r.Complete():
		return nil
	case r.Weaker:
		return &event.Notice{Code: "sandbox_weaker", Message: "commands run in a weaker sandbox: " + r.Missing, Hint: "sandbox.weaker_ok = false refuses them instead"}
	}
	return &event.Notice{
		Code: "sandbox_missing", Message: "commands can't run here: " + r.Missing,
		Hint: "the other tools work; sandbox.weaker_ok = true in config.toml runs commands with what is left",
	}
}

// confined tells the model about the sandbox.
func confined(r sandbox.Report) *assembly.Confined {
	c := &assembly.Confined{Network: r.Weaker}
	if !r.Complete() && !r.Weaker {
		c.Note = "Commands can't run on this machine: it lacks a layer of the sandbox."
	}
	return c
}
