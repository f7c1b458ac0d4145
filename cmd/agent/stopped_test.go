package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestItem25_AStoppedAgentIsNamed: an agent that was stopped with Ctrl-Z holds nobody up.
// Whoever needs it learns its pid, its state and what to do, and all is well once it goes
// on.
func TestItem25_AStoppedAgentIsNamed(t *testing.T) {
	for holder, start := range map[string]func(p *person) *exec.Cmd{
		"a daemon": func(p *person) *exec.Cmd { return p.daemon("serving") },
		"a chat": func(p *person) *exec.Cmd {
			p.begin("chat")
			p.sees("> ")
			return p.cmd
		},
	} {
		p := busy(t)
		held := start(p)
		pid := held.Process.Pid
		if err := held.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		for state := ""; state != "T"; {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil {
				t.Fatal(err)
			}
			state = strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))[0]
		}
		for _, line := range []string{"status", "doctor --no-model", "serve", "audit tail", "ask hi", "policy check -- echo hi", "process list", "sessions list"} {
			var out []byte
			var err error
			took := time.Hour
			for tries := 0; tries < 4 && took > 2*time.Second; tries++ { // the machine may be busy with other tests
				begun := time.Now()
				out, err = p.command(strings.Fields(line)...).CombinedOutput()
				took = time.Since(begun)
			}
			if took > 2*time.Second {
				t.Errorf("%s, %s: it took %v", holder, line, took)
			}
			if err == nil {
				t.Errorf("%s, %s: it did not fail", holder, line)
			}
			for _, want := range []string{fmt.Sprintf("process %d holds the agent", pid), "T (stopped)", "fg in its terminal", fmt.Sprintf("kill -CONT %d", pid)} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%s, %s: no %q in\n%s", holder, line, want, out)
				}
			}
		}
		if err := held.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if out := p.run("status"); !strings.Contains(out, fmt.Sprintf("process %d", pid)) {
			t.Errorf("%s goes on, and status says\n%s", holder, out)
		}
	}
}
