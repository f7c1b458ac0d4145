package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/cmd/agent/app"
	"hardshell/policy/audit"
	"hardshell/runtime/model/modeltest"
)

// busyPolicy lets a person's agent run what takes time.
const busyPolicy = `version = 1
name = "busy"

[[file]]
id = "workspace"
root = "workspace"
path = "**"
ops = ["read", "list", "write"]
why = "the desk"

[[exec]]
argv = ["sleep", "{word}"]
why = "waits"

[[exec]]
argv = ["cat"]
why = "says what it hears"

[[exec]]
argv = ["echo", "{word...}"]
why = "says something"
`

// busy gives a lab whose policy lets commands run for long.
func busy(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	path := filepath.Join(filepath.Dir(p.state), "busy.toml")
	if err := os.WriteFile(path, []byte(busyPolicy), 0o644); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "HARDSHELL_POLICY="+path)
	return p
}

// untilOpen is a script whose command runs until the gate of the lab is opened.
const untilOpen = "cat < gate"

// gate makes the gate that untilOpen waits at. What opens it waits for the command to
// stand there, however slow the machine is.
func (p *person) gate() (open func()) {
	p.t.Helper()
	path := filepath.Join(filepath.Dir(p.state), "ws", "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		p.t.Fatal(err)
	}
	return func() {
		p.t.Helper()
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			p.t.Fatal(err)
		}
		f.Close()
	}
}

// TestEndOfACommandWakesTheChat starts a command, says nothing, and is told of its
// end by a turn that runs by itself, once.
func TestEndOfACommandWakesTheChat(t *testing.T) {
	p := busy(t)
	open := p.gate()
	p.begin("chat")
	p.sees(prompt)
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + untilOpen + `; echo oven is warm","background":true}`}))
	p.model.Script(modeltest.Text("It warms up."))
	p.model.Script(modeltest.Text("The oven is warm now."))
	p.types("warm the oven\r")
	p.sees("p1 runs on in the background")
	p.sees("It warms up.")
	open()
	p.sees("▌ p1 (script \"" + untilOpen + "; echo oven is warm\"): exit 0")
	p.sees("The oven is warm now.")
	p.sees(prompt)
	p.types("thanks\r")
	p.sees("ok")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
	bodies := p.model.Bodies("/api/chat")
	woken := string(bodies[2])
	for _, want := range []string{"Woken by p1 (script", "exit 0", "No person spoke", "oven is warm"} {
		if !strings.Contains(woken, want) {
			t.Errorf("the model was not told %q:\n%s", want, woken)
		}
	}
	if last := string(bodies[len(bodies)-1]); strings.Count(last, "Woken by") != 1 {
		t.Errorf("told more than once:\n%s", last)
	}
	if len(bodies) != 4 {
		t.Errorf("%d requests, want 4", len(bodies))
	}
}

// run runs the program in the person's lab and gives its output.
func (p *person) run(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			p.t.Fatalf("%v: %v\n%s%s", args, err, out, e.Stderr)
		}
		p.t.Fatal(err)
	}
	return string(out)
}

// command is a command line of the program in the person's lab, not started yet.
func (p *person) command(args ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Env = "agent", p.env
	return cmd
}

// sleeping counts the processes that sleep for a time.
func sleeping(t *testing.T, long string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, _ := os.ReadFile(f); string(b) == "sleep\x00"+long+"\x00" { // gone meanwhile: empty
			n++
		}
	}
	return n
}

// until waits for what must come; the tests' own limit ends it.
func until(holds func() bool) {
	for !holds() {
		time.Sleep(5 * time.Millisecond)
	}
}

// TestCase127_KilledAgentTellsOfItsCommands kills the daemon as kill -9 does while a
// command of a conversation runs: nothing of it lives on, and the next turn tells
// person and model once.
func TestCase127_KilledAgentTellsOfItsCommands(t *testing.T) {
	p := busy(t)
	long := fmt.Sprintf("931.%d", os.Getpid())
	serve := p.daemon("serving")
	p.run("ask", `TOOL:{"name":"exec","args":{"script":"sleep `+long+` & echo up; sleep `+long+`","yield_ms":500}}`)
	if st := p.run("status"); !strings.Contains(st, "p1 runs since ") {
		t.Errorf("status while it runs:\n%s", st)
	}
	until(func() bool { return sleeping(t, long) == 2 })
	until(func() bool { // the agent has heard of it
		kept, _ := os.ReadFile(filepath.Join(p.state, "outputs", "p1.txt"))
		return string(kept) == "up\n"
	})
	if err := serve.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = serve.Wait()
	until(func() bool { return sleeping(t, long) == 0 })
	if st := p.run("status"); !strings.Contains(st, "p1 ended at restart: ") {
		t.Errorf("status after the restart:\n%s", st)
	}
	first, second := p.run("ask", "--json", "how is it?"), p.run("ask", "--json", "and now?")
	if strings.Count(first, `"code":"command_ended","message":"p1 (`) != 1 || strings.Contains(second, "command_ended") {
		t.Errorf("the person is told:\n%s\n%s", first, second)
	}
	bodies := p.model.Bodies("/api/chat")
	last := string(bodies[len(bodies)-1])
	if strings.Count(last, "ended at restart: the agent's process was gone") != 1 || strings.Count(last, "from=\\\"the end of p1's output\\\"") != 1 {
		t.Errorf("the model is told:\n%s", last)
	}
	poll := p.run("ask", `TOOL:{"name":"process","args":{"action":"log","id":"p1"}}`)
	if !strings.Contains(poll, "done: up\n[lines 1-1 of 1]\n[p1 is over: ended at restart: ") {
		t.Errorf("log after the restart: %s", poll)
	}
}

// daemon starts agent serve and waits for a word of its log.
func (p *person) daemon(word string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, "serve")
	cmd.Args[0], cmd.Env = "agent", p.env
	errs, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	in := bufio.NewScanner(errs)
	for in.Scan() && !strings.Contains(in.Text(), word) {
	}
	if in.Err() != nil {
		p.t.Fatal(in.Err())
	}
	p.log = in
	return cmd
}

// logs reads the daemon's log up to a line with a word.
func (p *person) logs(word string) string {
	p.t.Helper()
	for p.log.Scan() {
		if strings.Contains(p.log.Text(), word) {
			return p.log.Text()
		}
	}
	p.t.Fatalf("the log ended without %q: %v", word, p.log.Err())
	return ""
}

// TestCase128_DaemonStopsAtOnce stops the daemon while a command that ignores
// SIGTERM runs in the background.
func TestCase128_DaemonStopsAtOnce(t *testing.T) {
	long := fmt.Sprintf("932.%d", os.Getpid())
	p := busy(t)
	p.program("stubborn", "#!/bin/sh\ntrap '' TERM HUP INT\necho up\nsleep "+long+"\n")
	serve := p.daemon("serving")
	p.run("ask", `TOOL:{"name":"exec","args":{"argv":["./stubborn"],"yield_ms":500}}`)
	until(func() bool { return sleeping(t, long) == 1 })
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.logs("ends with this process")
	if err := serve.Wait(); err != nil {
		t.Error(err)
	}
	if n := sleeping(t, long); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	if st := p.run("status"); !strings.Contains(st, "p1 stopped: the agent stopped, it and everything it started was ended") {
		t.Errorf("status:\n%s", st)
	}
}

// program puts a program into the workspace, with a rule for exactly it that lets it
// start sleep.
func (p *person) program(name, text string) {
	p.t.Helper()
	path := filepath.Join(app.Real(filepath.Dir(p.state)), "ws", name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
	rule := fmt.Sprintf("[[exec]]\nargv = [%q]\nhash = \"%x\"\nstarts = [\"sleep\"]\nwhy = \"the bench\"\n", path, sha256.Sum256([]byte(text)))
	if err := os.WriteFile(filepath.Join(filepath.Dir(p.state), "busy.toml"), []byte(busyPolicy+rule), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// TestKilledDaemonLosesNothingThatWasDecided kills the daemon while a command runs
// that has started programs by itself: which ones, and which it was kept from, is on
// record, and so is its end. The daemon that comes next wakes the conversation with it
// although nobody speaks, once.
func TestKilledDaemonLosesNothingThatWasDecided(t *testing.T) {
	p := busy(t)
	long := fmt.Sprintf("934.%d", os.Getpid())
	p.program("work", "#!/bin/sh\nsleep 0\nsleep 0\nid -u\nid -u\necho up\nsleep "+long+"\n")
	serve := p.daemon("serving")
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"argv":["./work"],"background":true}`}))
	p.model.Script(modeltest.Text("It works."))
	p.run("ask", "--session", "bench", "work")
	until(func() bool { return sleeping(t, long) == 1 })
	if err := serve.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = serve.Wait()
	until(func() bool { return sleeping(t, long) == 0 })
	p.model.Script(modeltest.Text("It was cut off."))
	before := len(p.model.Bodies("/api/chat"))
	p.daemon("serving")
	until(func() bool { return len(p.model.Bodies("/api/chat")) > before })
	woken := string(p.model.Bodies("/api/chat")[before])
	for _, want := range []string{"Woken by p1 (./work): ended at restart: ", "No person spoke", `up\n`} {
		if !strings.Contains(woken, want) {
			t.Errorf("the model was not told %q:\n%s", want, woken)
		}
	}
	if out := p.run("ask", "--session", "bench", "--json", "well?"); strings.Contains(out, "command_ended") {
		t.Errorf("told twice:\n%s", out)
	}
	var log struct{ Records []audit.Line }
	if err := json.Unmarshal([]byte(p.run("audit", "tail", "--json")), &log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range log.Records {
		subject, _, _ := strings.Cut(r.Subject, " (in ")
		name, rest, _ := strings.Cut(subject, " ")
		got = append(got, strings.TrimSpace(strings.Join([]string{r.Kind, r.Verdict, filepath.Base(name), rest}, " ")))
	}
	want := []string{"decision allow work", "act allow work", "start allow sleep 0", "start deny id -u", "note  p1 ended: ./work"}
	seen := func(r audit.Line) bool { return slices.Contains(r.Layers, "starts") }
	if !slices.ContainsFunc(log.Records, seen) { // this kernel can't, which the layers say
		want = slices.Delete(want, 2, 4)
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the audit (-want +got):\n%s", d)
	}
}

// TestWakeLeavesWhatIsTyped shows a wake above the line that is being typed.
func TestWakeLeavesWhatIsTyped(t *testing.T) {
	p := busy(t)
	gate, open := make(chan struct{}), p.gate()
	p.begin("chat")
	p.sees(prompt)
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + untilOpen + `","background":true}`}))
	p.model.Script(modeltest.Text("It waits."))
	p.model.Script(modeltest.Stream(modeltest.Step{Wait: gate, Text: "It has ended."}))
	p.types("wait\r")
	p.sees("It waits.")
	p.sees(prompt)
	open()
	p.sees("▌ p1 (script \"" + untilOpen + "\"): exit 0")
	p.types("thank")
	p.sees("thank")
	close(gate)
	p.sees("It has ended.")
	p.sees(prompt + "thank")
	p.types("s\r")
	p.sees("ok")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
	bodies := p.model.Bodies("/api/chat")
	if last := string(bodies[len(bodies)-1]); !strings.Contains(last, `"content":"thanks`) {
		t.Errorf("the line did not survive:\n%s", last)
	}
}

// TestEndOfACommandWakesTheDaemon has nobody at a terminal: the wake runs, is logged,
// and is shown to a chat that watches from another process.
func TestEndOfACommandWakesTheDaemon(t *testing.T) {
	p := busy(t)
	open := p.gate()
	p.daemon("serving")
	p.begin("chat")
	p.sees(prompt)
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + untilOpen + `","background":true}`}))
	p.model.Script(modeltest.Text("It waits."))
	p.model.Script(modeltest.Text("It has ended."))
	p.run("ask", "wait")
	open()
	if line := p.logs(`"msg":"woken"`); !strings.Contains(line, `"session":"main"`) || !strings.Contains(line, `"status":"done","answer":"It has ended."`) {
		t.Error(line)
	}
	p.sees("▌ p1 (script \"" + untilOpen + "\"): exit 0")
	p.sees("It has ended.")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
}

// TestAskEndsItsCommands says that a command can't outlive the process that runs it.
func TestAskEndsItsCommands(t *testing.T) {
	p := busy(t)
	p.begin("ask", `TOOL:{"name":"exec","args":{"argv":["cat"],"background":true}}`)
	p.sees("▌ warning: p1 (cat) ends with this process")
	p.sees("agent serve keeps commands running when a terminal closes")
	p.leaves(0)
	if out := p.run("ask", "--json", "hello"); !strings.Contains(out, "p1 (cat): stopped: the agent stopped, it and everything it started was ended") {
		t.Error(out)
	}
}
