package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// call is one command while it runs: its words and the world around it.
type call struct {
	globals
	args   []string
	getenv func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// commands is the command table, in the order of "agent help".
func commands() []command {
	return []command{
		askCommand(), chatCommand(), initCommand(), serveCommand(), statusCommand(), doctorCommand(),
		modelListCommand(), modelUseCommand(), modelPullCommand(), modelCheckCommand(), modelFixCommand(),
		configCheckCommand(), configShowCommand(), configSchemaCommand(),
		sessionsListCommand(), sessionsTurnCommand(),
		contextListCommand(), contextDetailCommand(), contextPromptCommand(), contextDiffCommand(),
		skillsListCommand(), skillsInfoCommand(), skillsCheckCommand(),
		jobsListCommand(), jobsLogCommand(), jobsKillCommand(),
		approvalsListCommand(), approvalsAnswerCommand(), approvalsGrantsCommand(), approvalsRevokeCommand(),
		policyCheckCommand(), policyExplainCommand(), policyShowCommand(), policyTestCommand(), auditTailCommand(), auditShowCommand(), auditVerifyCommand(), auditExportCommand(),
		sandboxProbeCommand(),
		cronNextCommand(), simShowCommand(), simSetCommand(), simFaultCommand(), versionCommand(),
	}
}

// run runs one command line and gives its exit code. It is the whole program:
// main adds only what the operating system has to say.
func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	if term.IsTerminal(stdout) {
		return carryOut(ctx, args, getenv, stdin, stdout, stderr)
	}
	out := &written{w: stdout}
	return out.end(carryOut(ctx, args, getenv, stdin, out, stderr), stderr)
}

// carryOut is run, whatever became of the output.
func carryOut(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	table := commands()
	args = args[min(1, len(args)):]
	inv, err := parse(table, args)
	if err != nil {
		p, code := judge(err)
		term.Report(p, wantsJSON(args), stdout, stderr)
		return code
	}
	if inv.help {
		text := overview(table)
		switch {
		case inv.group != "":
			text = groupUsage(table, inv.group)
		case inv.cmd.name != "":
			text = inv.cmd.usage()
		}
		io.WriteString(stdout, text)
		return exitDone
	}
	if !inv.cmd.prompts {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
	}
	c := &call{globals: inv.globals, args: inv.args, getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr}
	err = inv.cmd.run(ctx, c)
	if err == nil {
		return exitDone
	}
	var f *failure
	if errors.As(err, &f) && f.told {
		return f.exit
	}
	p, code := judge(err)
	term.Report(p, c.json, stdout, stderr)
	return code
}

// wantsJSON reports whether a command line that can't be parsed asks for JSON.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "-json") || slices.Contains(args, "--json=true")
}

// sources is where the settings of this command line come from.
func (c *call) sources() (config.Sources, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.Sources{}, event.Errorf("failed", "change into a folder that exists", "the working folder can't be told: %v", err)
	}
	_, etc := os.Stat(config.EtcDir)
	return config.Sources{
		Path: c.config, Getenv: c.getenv, Flags: c.given, ReadFile: os.ReadFile, Dir: dir, Installed: etc == nil,
	}, nil
}

// load reads the settings that this command line has.
func (c *call) load() (config.Config, error) {
	src, err := c.sources()
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(src)
}

// noArgs refuses words that a command doesn't take.
func (c *call) noArgs(name string) error {
	if len(c.args) > 0 {
		return usageError("agent help "+name, "%s takes no %q", name, c.args[0])
	}
	return nil
}
