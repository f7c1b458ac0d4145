package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"hardshell/test/ollama"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run plays the whole demo.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	agent := flags.String("agent", "bin/agent", "the built program")
	source := flags.String("source", ".", "the project's folder")
	dir := flags.String("dir", "", "an empty folder to play in")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b, err := newBench(*agent, *source, *dir, os.Getenv)
	if err != nil {
		return err
	}
	b.out = out
	b.say("A lab session on a simulated board, the policy of deploy/jetson, %s.", b.kind())
	for _, q := range questions {
		if err := b.show(ctx, q); err != nil {
			return err
		}
	}
	b.say("Is the record of all this whole?")
	if err := b.agent(ctx, "audit", "verify"); err != nil {
		return fmt.Errorf("the audit is not whole: %w", err)
	}
	if b.scripted {
		if err := b.tryReal(ctx); err != nil {
			return err
		}
	}
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) {
		b.say("Your turn. /help lists what can be done, Ctrl-D leaves.")
		return b.agent(ctx, "chat")
	}
	return nil
}

// bench is where the demo is played.
type bench struct {
	program  string
	dir      string
	env      []string
	scripted bool
	model    string
	log      *ollama.Server // its log tells the reuse; nil when the server is not ours
	out      io.Writer
}

// newBench lays out folders and copies the sample workspace. getenv gives what
// test/ollama/setup printed.
func newBench(agent, source, dir string, getenv func(string) string) (*bench, error) {
	program, err := filepath.Abs(agent)
	if err != nil {
		return nil, err
	}
	policy, err := filepath.Abs(filepath.Join(source, "deploy", "jetson", "policy.toml"))
	if err != nil {
		return nil, err
	}
	workspace := filepath.Join(dir, "workspace")
	if err := os.CopyFS(workspace, os.DirFS(filepath.Join(source, "test", "demo", "workspace"))); err != nil {
		return nil, fmt.Errorf("lay out the workspace: %w", err)
	}
	b := &bench{program: program, dir: dir, scripted: getenv("LAB_KIND") == "scripted", model: getenv("HARDSHELL_MODEL")}
	if b.scripted {
		b.model = ollama.Scripted
	}
	if log := getenv("LAB_LOG"); log != "" {
		b.log = &ollama.Server{Log: log}
	}
	b.env = append(os.Environ(),
		"HARDSHELL_STATE="+filepath.Join(dir, "state"), "HARDSHELL_WORKSPACE="+workspace,
		"HARDSHELL_POLICY="+policy, "HARDSHELL_BOARD=sim", "HARDSHELL_CONFIG="+filepath.Join(dir, "config.toml"),
		"HARDSHELL_MODEL="+b.model)
	// Everything is at its default: the file is there so that a person's own
	// config stays out of the demo.
	return b, os.WriteFile(filepath.Join(dir, "config.toml"), []byte("# the demo changes nothing\n"), 0o644)
}

// kind says which model answers.
func (b *bench) kind() string {
	if b.scripted {
		return "the scripted model on a real Ollama (no model that can choose tools is to be had here, so its answers are known beforehand)"
	}
	return "a real model on a real Ollama"
}

// say prints a line of the demo's own.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.out, "\n== "+format+"\n\n", args...)
}

// agent runs the program as a person would, its streams on ours.
func (b *bench) agent(ctx context.Context, args ...string) error {
	cmd := b.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, b.out, os.Stderr
	if b.out != os.Stdout {
		cmd.Stderr = b.out
	}
	return cmd.Run()
}

// command is a run of the program.
func (b *bench) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Env, cmd.Dir = b.env, b.dir
	return cmd
}

// show asks one question and tells what the server reused for it.
func (b *bench) show(ctx context.Context, q question) error {
	before := b.slots()
	fmt.Fprintf(b.out, "\n> %s\n", q.Text)
	err := b.agent(ctx, "ask", q.Text)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err // the program itself could not be run
	}
	// A turn that policy refused or that met a limit says so itself, and the
	// session goes on.
	if now := b.slots(); len(now) > len(before) {
		fmt.Fprintf(b.out, "  the server's own log: %s\n", reuse(now[len(before):]))
	}
	return ctx.Err()
}

// slots reads the server's log, where it is ours to read.
func (b *bench) slots() []ollama.Slot {
	if b.log == nil {
		return nil
	}
	slots, err := b.log.Slots()
	if err != nil {
		return nil // the turn's own figures are shown in any case
	}
	return slots
}

// reuse says how much of a turn's prompts the server had in its cache.
func reuse(slots []ollama.Slot) string {
	var parts []string
	for _, s := range slots {
		parts = append(parts, fmt.Sprintf("%d of %d", s.Used, s.Prompt))
	}
	return strings.Join(parts, ", then ") + " prompt tokens reused"
}
