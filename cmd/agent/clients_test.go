package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAWrongFileLocksNobodyOut: clients of a daemon need neither the config nor the
// policy file. Mistakes in both are told, and cost nothing until the next start.
func TestAWrongFileLocksNobodyOut(t *testing.T) {
	p := busy(t)
	dir := filepath.Dir(p.state)
	p.daemon("serving")
	config := filepath.Join(dir, "cold.toml")
	for _, wrong := range []struct{ file, text string }{
		{config, "[model\nwarm_up = nonsense\n"}, {config, "modle = 1\n"}, {filepath.Join(dir, "busy.toml"), "version = 1\n[[exec]\n"},
	} {
		before, err := os.ReadFile(wrong.file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(wrong.file, []byte(wrong.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"status"}, {"process", "list"}, {"approvals", "list"}, {"audit", "tail"}, {"sessions", "list"}, {"policy", "check", "--", "echo", "hi"}, {"ask", "hello"},
		} {
			said, code := p.client(args...)
			if code != exitDone {
				t.Errorf("%s with %q: exit %d: %s", args, wrong.text, code, said)
			}
			if wrong.file == config && (!strings.Contains(said, "the settings of this command line are not used: "+config) || !strings.Contains(said, "goes on with those that it has in force")) {
				t.Errorf("%s with %q does not warn: %s", args, wrong.text, said)
			}
		}
		if err := os.WriteFile(wrong.file, before, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAWrongConfigStillNamesItsStateFolder: the agent is found where the file says that
// it is, whatever else is wrong in it; where none runs, the mistake ends the command.
func TestAWrongConfigStillNamesItsStateFolder(t *testing.T) {
	p := busy(t)
	config := filepath.Join(filepath.Dir(p.state), "cold.toml")
	for i, e := range p.env {
		if strings.HasPrefix(e, "HARDSHELL_STATE=") {
			p.env[i] = "HARDSHELL_STATE="
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("state = \"" + p.state + "\"\n[model]\nwarm_up = false\n")
	serve := p.daemon("serving")
	write("state = \"" + p.state + "\"\nnonsense = 1\n[model]\nwarm_up = false\n")
	if said, code := p.client("status"); code != exitDone || !strings.Contains(said, "agent") {
		t.Errorf("exit %d: %s", code, said)
	}
	if err := serve.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = serve.Wait()
	if said, code := p.client("status"); code != exitUsage || !strings.Contains(said, "nonsense") {
		t.Errorf("without an agent: exit %d: %s", code, said)
	}
}

// client runs a command line of the lab and gives all that it says, and its exit code.
func (p *person) client(args ...string) (said string, code int) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), self, args...)
	cmd.Args[0], cmd.Env = "agent", p.env
	out, _ := cmd.CombinedOutput() // the exit code says it
	return string(out), cmd.ProcessState.ExitCode()
}
