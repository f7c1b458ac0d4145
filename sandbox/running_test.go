package sandbox

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// live starts shell text with an open stdin; got receives its output, and end gives
// its exit.
func (l *lab) live(t *testing.T, script string) (r *Running, got <-chan string, end func() Exit) {
	t.Helper()
	out, started, ended := make(chan string, 100), make(chan *Running, 1), make(chan Exit, 1)
	go func() {
		x, err := l.Run(context.Background(), Spec{
			Path: real(t, "/bin/sh"), Argv: []string{"sh", "-c", marked(script)}, Timeout: 20 * time.Second, Open: true,
			Output: func(p []byte) { out <- string(p) }, Started: func(r *Running) { started <- r },
		})
		if err != nil {
			t.Error(err)
		}
		close(out)
		ended <- x
	}()
	return <-started, out, func() Exit { return <-ended }
}

func TestRunningIsFedAndEndsWithItsInput(t *testing.T) {
	r, out, end := newLab(t).live(t, `while read line; do echo "got $line"; done; echo over`)
	for _, line := range []string{"one", "two"} {
		if _, err := r.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		diff(t, "echo", <-out, "got "+line+"\n")
	}
	if err := r.CloseInput(); err != nil {
		t.Fatal(err)
	}
	diff(t, "at the end", <-out, "over\n")
	x := end()
	diff(t, "layers", r.Layers, x.Layers)
	if _, err := r.Write([]byte("late")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("write after the end: %v", err)
	}
	if err := r.Signal(unix.SIGINT); err == nil {
		t.Error("a signal reached a command that is over")
	}
}

func TestRunningSignalsReachTheGroup(t *testing.T) {
	r, out, end := newLab(t).live(t, `trap 'echo int' INT; sh -c 'trap "echo child; exit" INT; echo ready; while :; do sleep 0.01; done'; echo after`)
	diff(t, "ready", <-out, "ready\n")
	if err := r.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for s := range out {
		all.WriteString(s)
	}
	diff(t, "output", strings.Fields(all.String()), []string{"child", "int", "after"})
	diff(t, "exit", end().Code, 0)
	if err := r.Signal(syscall.SIGKILL); err == nil || !strings.Contains(err.Error(), "SIGKILL can't be sent") {
		t.Errorf("SIGKILL: %v", err)
	}
}

func TestWriteToACommandThatDoesNotRead(t *testing.T) {
	r, out, end := newLab(t).live(t, `echo ready; sleep 60 & wait`)
	diff(t, "ready", <-out, "ready\n")
	n, err := r.Write(make([]byte, 1<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || n <= 0 || n >= 1<<20 {
		t.Errorf("took %d bytes, %v", n, err)
	}
	if err := r.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	diff(t, "ended by", end().Signal, "SIGTERM")
}

func TestNothingIsWrittenToAClosedInput(t *testing.T) {
	l := newLab(t)
	var got error
	_, x := l.sh(t, "cat", func(s *Spec) {
		s.Started = func(r *Running) { _, got = r.Write([]byte("x")) }
	})
	if !errors.Is(got, os.ErrClosed) || x.Code != 0 {
		t.Errorf("%v, exit %d", got, x.Code)
	}
}
