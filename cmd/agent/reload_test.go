package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"hardshell/runtime/model/modeltest"
)

// asks runs a client of the daemon, with settings of its own that are in order, and
// gives what it says and its exit code.
func (p *person) asks(args ...string) (said string, code int) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	policy, err := filepath.Abs("testdata/policy.toml")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Args[0], cmd.Env = "agent", append(slices.Clone(p.env), "HARDSHELL_CONFIG="+filepath.Join(filepath.Dir(p.state), "cold.toml"), "HARDSHELL_POLICY="+policy)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestReloadAtATurnBoundary holds that a policy and settings that were read again
// are in force when the turn that runs has ended, and not before; that a bad one
// changes nothing; and that what waits for the next start is named.
func TestReloadAtATurnBoundary(t *testing.T) {
	p := newPerson(t)
	dir := filepath.Dir(p.state)
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const head, ls = "version = 1\nname = \"lab\"\n[[file]]\nid = \"ws\"\nroot = \"workspace\"\npath = \"**\"\nops = [\"read\", \"list\"]\nwhy = \"the desk\"\n",
		"[[exec]]\nargv = [\"ls\"]\nwhy = \"looking\"\n"
	write("policy.toml", head+ls) // nobody names it: it lies beside the config
	p.env = append(p.env, "HARDSHELL_POLICY=",
		"HARDSHELL_CONFIG="+write("config.toml", "[model]\nwarm_up = false\n"))
	judged := func(want int, when string) {
		t.Helper()
		if said, code := p.asks("policy", "check", "--", "ls"); code != want {
			t.Errorf("%s: exit %d, want %d: %s", when, code, want, said)
		}
	}
	signal, end := p.background(`"msg":"serving"`, "serve")
	judged(exitDone, "at the start")

	hold := make(chan struct{})
	p.model.Script(modeltest.Stream(modeltest.Step{Text: "still "}, modeltest.Step{Wait: hold, Text: "here"}))
	p.begin("ask", "hello")
	p.sees("still ")
	write("policy.toml", head)
	write("config.toml", "[model]\nwarm_up = false\nkeep_alive = \"1h\"\n[turn]\nmax_calls = 0\n[[agent]]\nid = \"night\"\n")
	signal(syscall.SIGHUP, `"changed":["turn.max_calls"],"from_the_next_start":["agent.night.id","model.keep_alive"]}`)
	judged(exitDone, "while a turn runs")
	close(hold)
	p.sees("here")
	p.leaves(0)
	judged(exitRefused, "after the turn")
	if said, code := p.asks("ask", `TOOL:{"name":"read","args":{"path":"x"}}`); code != exitLimit || !strings.Contains(said, "turn.max_calls = 0") {
		t.Errorf("exit %d: %s", code, said)
	}
	if said, _ := p.asks("status"); !strings.Contains(said, "changed since the start and in force from the next one: agent.night.id, model.keep_alive") {
		t.Error(said)
	}

	write("policy.toml", head+ls+"[[exec]]\n")
	signal(syscall.SIGHUP, `"msg":"the new settings are refused; the old ones stay in force"`)
	judged(exitRefused, "with a bad policy")
	if err := os.Remove(filepath.Join(dir, "policy.toml")); err != nil {
		t.Fatal(err)
	}
	signal(syscall.SIGHUP, `"msg":"the new settings are refused; the old ones stay in force"`)
	judged(exitRefused, "without a policy")
	write("policy.toml", head+ls)
	write("config.toml", "[model]\nwarm_up = false\n[[agent]]\nid = \"main\"\nprofile = \"none\"\n")
	signal(syscall.SIGHUP, `has no profile \"none\"`)
	judged(exitRefused, "with a profile that is not there")
	write("config.toml", "[model]\nwarm_up = false\n")
	signal(syscall.SIGHUP, `"changed":[],"from_the_next_start":[]}`)
	judged(exitDone, "with a good policy again")
	if said, _ := p.asks("status"); strings.Contains(said, "changed since the start") {
		t.Error(said)
	}
	if said, _ := p.asks("audit", "tail", "--json"); strings.Count(said, "policy lab read again by the operator") != 2 {
		t.Error(said)
	}
	end()
}
