package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// doomed is an agent that starts a command in a workspace, tells its holder, and
// waits for its own end.
func doomed(dir string) int {
	l, err := New(Config{Workspace: dir, WeakerOK: true})
	if err != nil {
		panic(err)
	}
	if os.Getenv("SANDBOX_TEST_WEAKER") != "" {
		old(l)
	}
	_, err = l.Run(context.Background(), Spec{
		Path: mustFollow("/bin/sh"), Argv: []string{"sh", "-c", os.Getenv("SANDBOX_TEST_SCRIPT")}, Timeout: time.Hour,
		Started: func(r *Running) {
			if err := json.NewEncoder(os.Stdout).Encode(r.Holder); err != nil {
				panic(err)
			}
		},
		Output: func(p []byte) { os.Stdout.Write(p) },
	})
	fmt.Println("ended:", err)
	return 1
}

// agent starts a doomed agent and gives the holder of its command, which runs.
func agent(t *testing.T, weaker bool, script string) (*exec.Cmd, Holder) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_AGENT="+newLab(t).dir, "SANDBOX_TEST_SCRIPT="+marked(script))
	if weaker {
		cmd.Env = append(cmd.Env, "SANDBOX_TEST_WEAKER=1")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	in := bufio.NewScanner(out)
	var h Holder
	for up := false; !up || h.PID == 0; { // in whichever order they come
		if !in.Scan() {
			t.Fatalf("the agent ended: %v", in.Err())
		}
		if in.Text() == "up" {
			up = true
		} else if err := json.Unmarshal(in.Bytes(), &h); err != nil {
			t.Fatalf("the agent says %q", in.Text())
		}
	}
	return cmd, h
}

// TestCase127_NothingOutlivesAKilledAgent kills an agent as kill -9 does, while its
// command has children in sessions of their own that ignore SIGTERM.
func TestCase127_NothingOutlivesAKilledAgent(t *testing.T) {
	const script = `setsid sh -c 'trap "" TERM HUP; sleep 941' & setsid sleep 942 & (sleep 943 &) ; echo up; sleep 944`
	for _, weaker := range []bool{false, true} {
		if weaker && landlockABI() == 0 {
			continue // no weaker sandbox either: TestNothingRunsWithoutAnyFence
		}
		cmd, h := agent(t, weaker, script)
		sleeps := []string{"sleep\x00941", "sleep\x00942", "sleep\x00943", "sleep\x00944"}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		gone(t, fmt.Sprintf("weaker %v", weaker), sleeps)
		h.End() // its holder may be about to go
		diff(t, "anything to end", h.End(), false)
	}
}

// gone waits until none of the processes is left. Only a broken sandbox makes it
// wait long.
func gone(t *testing.T, what string, words []string) {
	t.Helper()
	for late := time.Now().Add(3 * time.Minute); ; {
		left := alive(t, words...)
		if len(left) == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%s: left alive: %s", what, strings.ReplaceAll(strings.Join(left, ", "), "\x00", " "))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestHolderIsEndedWithItsTree(t *testing.T) {
	cmd, h := agent(t, false, `setsid sleep 951 & echo up; sleep 952`)
	for what, other := range map[string]Holder{
		"another start": {PID: h.PID, Start: h.Start + 1, Boot: h.Boot},
		"another boot":  {PID: h.PID, Start: h.Start, Boot: "5b1e"},
		"nobody":        {},
		"process 1":     {PID: 1, Start: h.Start, Boot: h.Boot},
	} {
		diff(t, what, other.End(), false)
	}
	_, still := began(h.PID)
	diff(t, "still there", still, true)
	diff(t, "ended", h.End(), true)
	gone(t, "ended", []string{"sleep\x00951", "sleep\x00952"})
	diff(t, "again", h.End(), false)
	_ = cmd.Process.Signal(unix.SIGKILL)
}

func mustFollow(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		panic(err)
	}
	return real
}
