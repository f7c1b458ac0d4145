package service

import (
	"testing"
)

func killed(t *testing.T) {
	background(t)
	before := of(t, "MainPID")
	said(t, "kill", "-KILL", before)
	startedAgain(t, "0")
	if of(t, "MainPID") == before {
		t.Error("the process is still the same")
	}
	if out, code := run(t, "pgrep", "-u", "hardshell", "-x", "sleep"); code == 0 {
		t.Errorf("the command outlives a killed agent: %s", out)
	}
	reported(t, "ended at restart")
	out, _ := mine(t, "audit", "verify")
	tells(t, out, `^whole: `)
}

// startedAgain waits until the unit was started once more than before, and runs.
func startedAgain(t *testing.T, before string) {
	t.Helper()
	// systemd learns of the death by itself; a start does not overtake it.
	for of(t, "NRestarts") == before || of(t, "ActiveState") != "active" {
		if t.Context().Err() != nil {
			t.Fatal("it was not started again")
		}
	}
}

// ended ends the agent in the ways that are no stop: faults of memory, an abort, the end
// of the Go runtime by itself (a panic and SIGQUIT exit with 2 alike), and a SIGTERM from
// somebody other than systemd, after which it exits with 0.
func ended(t *testing.T) {
	for _, c := range []struct{ signal, log string }{
		{"SEGV", `SIGSEGV|signal arrived`},
		{"ABRT", `SIGABRT`},
		{"QUIT", `SIGQUIT`},
		{"TERM", `"msg":"stopping"`},
	} {
		before, restarts := of(t, "MainPID"), of(t, "NRestarts")
		said(t, "kill", "-"+c.signal, before)
		startedAgain(t, restarts)
		if of(t, "MainPID") == before {
			t.Errorf("after SIG%s the process is still the same", c.signal)
		}
		tells(t, said(t, "journalctl", "-u", unit, "-o", "cat", "--no-pager", "_PID="+before), c.log)
		if out, code := mine(t, "ask", "hello"); code != 0 {
			t.Errorf("after SIG%s it does not answer:\n%s", c.signal, out)
		}
	}
	out, _ := mine(t, "audit", "verify")
	tells(t, out, `^whole: `)
}
