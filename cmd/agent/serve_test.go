package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model/modeltest"
)

// TestDaemonLogsAnEndOnce: the turn that is woken logs what it has to notice, and the
// daemon, which watches that turn, logs how it ended and repeats nothing.
func TestDaemonLogsAnEndOnce(t *testing.T) {
	p := busy(t)
	open := p.gate()
	p.daemon("serving")
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + untilOpen + `","background":true}`}))
	p.model.Script(modeltest.Text("It runs."))
	p.run("ask", "--session", "bench", "begin")
	p.model.Script(modeltest.Text("It is over."))
	open()
	var codes []string
	for p.log.Scan() {
		var line struct{ Msg, Code, Session, Turn, Answer string }
		if err := json.Unmarshal(p.log.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Msg == "notice" || line.Msg == "woken" {
			codes = append(codes, strings.Join([]string{line.Msg, line.Code, line.Session, line.Answer}, " "))
		}
		if line.Msg == "woken" {
			break
		}
	}
	if d := cmp.Diff([]string{"notice command_ended bench ", "woken  bench It is over."}, codes); d != "" {
		t.Errorf("log (-want +got):\n%s", d)
	}
}

// TestJudgedByThePolicyInForce: while the daemon runs, policy check and policy explain
// say what its policy decides, and that the file holds another one by now.
func TestJudgedByThePolicyInForce(t *testing.T) {
	p := busy(t)
	p.daemon("serving")
	path := filepath.Join(filepath.Dir(p.state), "busy.toml")
	check := func(command string) (string, string) {
		t.Helper()
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		cmd := exec.Command(self, "policy", command, "--", "echo", "hi")
		cmd.Args[0], cmd.Env, cmd.Stdout, cmd.Stderr = "agent", p.env, &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s%s", err, out.String(), errs.String())
		}
		verdict, _, _ := strings.Cut(out.String(), "\n")
		return verdict, errs.String()
	}
	const allowed = "allow by exec.echo: echo hi: says something"
	for _, command := range []string{"check", "explain"} {
		verdict, warned := check(command)
		if d := cmp.Diff([]string{allowed, ""}, []string{verdict, warned}); d != "" {
			t.Errorf("%s of the policy in force (-want +got):\n%s", command, d)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Replace(busyPolicy, `argv = ["echo", "{word...}"]`, "verdict = \"deny\"\nargv = [\"echo\", \"{word...}\"]", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check", "explain"} {
		verdict, warned := check(command)
		if verdict != allowed || !strings.Contains(warned, "judges by the policy that it has in force, and that is not what "+path+" holds now\n") || !strings.Contains(warned, "try: kill -HUP ") {
			t.Errorf("%s: %s\n%s", command, verdict, warned)
		}
	}
}
