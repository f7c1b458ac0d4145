package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// invocation is one command while it runs: its words and flags, and the world around
// it. It is handed to the functions that do what the command says.
type invocation struct {
	globals
	args   []string
	getenv func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// commands is the command table, in the order of "agent help".
func commands() []subcommand {
	return []subcommand{
		askCommand(), chatCommand(), initCommand(), serveCommand(), statusCommand(), doctorCommand(),
		modelListCommand(), modelUseCommand(), modelPullCommand(), modelCheckCommand(), modelFixCommand(),
		configCheckCommand(), configShowCommand(), configSchemaCommand(),
		sessionsListCommand(), sessionsTurnCommand(),
		contextListCommand(), contextDetailCommand(), contextPromptCommand(), contextDiffCommand(),
		skillsListCommand(), skillsInfoCommand(), skillsCheckCommand(),
		processListCommand(), processLogCommand(), processKillCommand(),
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
	out := &printed{w: stdout}
	return out.end(carryOut(ctx, args, getenv, stdin, out, stderr), stderr)
}

// carryOut is run, whatever became of the output.
func carryOut(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	table := commands()
	args = args[min(1, len(args)):]
	line, err := parse(table, args)
	if err != nil {
		p, code := judge(err)
		term.Report(p, wantsJSON(args), stdout, stderr)
		return ending(line.cmd.name, code)
	}
	if line.help {
		text := overview(table)
		switch {
		case line.group != "":
			text = groupUsage(table, line.group)
		case line.cmd.name != "":
			text = line.cmd.usage()
		}
		io.WriteString(stdout, text)
		return exitDone
	}
	if !line.cmd.prompts {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
	}
	inv := &invocation{globals: line.globals, args: line.args, getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr}
	err = line.cmd.run(ctx, inv)
	if err == nil {
		return exitDone
	}
	var f *failure
	if errors.As(err, &f) && f.told {
		return f.exit
	}
	p, code := judge(err)
	term.Report(p, inv.json, stdout, stderr)
	return ending(line.cmd.name, code)
}

// wantsJSON reports whether a command line that can't be parsed asks for JSON.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "-json") || slices.Contains(args, "--json=true")
}

// sources is where the settings of this command line come from.
func (inv *invocation) sources() (config.Sources, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.Sources{}, event.Errorf("failed", "change into a folder that exists", "the working folder can't be told: %v", err)
	}
	_, etc := os.Stat(config.EtcDir)
	return config.Sources{
		Path: inv.config, Getenv: inv.getenv, Flags: inv.given, ReadFile: os.ReadFile, Dir: dir, Installed: etc == nil,
	}, nil
}

// load reads the settings that this command line has.
func (inv *invocation) load() (config.Config, error) {
	src, err := inv.sources()
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(src)
}

// settings are those of a command that talks to the agent. One that runs needs none of
// them but the state folder: where the config file can't be used, wrong says why, and the
// rest is what environment and flags say.
type settings struct {
	config.Config
	wrong error
}

// reach reads the settings for a command that talks to the agent.
func (inv *invocation) reach() (settings, error) {
	src, err := inv.sources()
	if err != nil {
		return settings{}, err
	}
	cfg, err := config.Load(src)
	if err == nil {
		return settings{Config: cfg}, nil
	}
	src.ReadFile = stateOnly
	if cfg, unusable := config.Load(src); unusable == nil {
		return settings{cfg, err}, nil
	}
	return settings{}, err
}

// stateOnly reads of a config file no more than the line that names the state folder.
func stateOnly(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			break // what follows belongs to a table
		}
		if strings.TrimSpace(key) == "state" {
			return []byte(line), nil
		}
	}
	return []byte("# no state folder\n"), nil
}

// noArgs refuses words that a command doesn't take.
func (inv *invocation) noArgs(name string) error {
	if len(inv.args) > 0 {
		return usageError("agent help "+name, "%s takes no %q", name, inv.args[0])
	}
	return nil
}
