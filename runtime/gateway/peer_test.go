package gateway

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestSocketIsNotForWhatTheAgentStarted has real processes of the agent's own user
// dial the socket. The one without a mark and without the agent above it is a
// person's command line, and the measure for the others.
func TestSocketIsNotForWhatTheAgentStarted(t *testing.T) {
	if sock := os.Getenv("GATEWAY_TEST_PEER"); sock != "" {
		asPeer(t, sock)
		return
	}
	sock := filepath.Join(t.TempDir(), "agent.sock")
	l, err := Listen(sock, OwnerOnly)
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(&echo{})
	go s.Serve(l) //nolint:errcheck // ends with Close
	defer s.Close()
	for _, c := range []struct {
		as     string
		orphan bool
		want   string
	}{
		{"plain", true, "served"},
		{"plain", false, "refused"},
		{"no new privileges", true, "refused"},
		{"system call filter", true, "refused"},
		{"process namespace", true, "refused"},
	} {
		t.Run(fmt.Sprintf("%s, orphan %v", c.as, c.orphan), func(t *testing.T) {
			if got := dialAs(t, sock, c.as, c.orphan); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// dialAs starts a process that dials, and gives what became of it. An orphan dials
// when the shell that began it is gone.
func dialAs(t *testing.T, sock, as string, orphan bool) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start, begin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	script := `"$0" -test.run='^TestSocketIsNotForWhatTheAgentStarted$' <&3`
	if orphan {
		script += " &"
	}
	c := exec.Command("/bin/sh", "-c", script, self)
	c.Env = []string{"GATEWAY_TEST_PEER=" + sock, "GATEWAY_TEST_AS=" + as}
	c.ExtraFiles, c.Stdout, c.Stderr = []*os.File{start}, says, says
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	start.Close()
	says.Close()
	if !orphan {
		begin.Close()
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	begin.Close()
	out, err := io.ReadAll(said)
	if err != nil {
		t.Fatal(err)
	}
	_, end, _ := strings.Cut(string(out), "the peer was ")
	word, _, ok := strings.Cut(end, ".")
	if !ok {
		t.Errorf("it said %q", out)
	}
	return word
}

// asPeer is the process that dials, after it has taken on a mark.
func asPeer(t *testing.T, sock string) {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // until it may begin
		t.Fatal(err)
	}
	goruntime.LockOSThread() // marks belong to threads; the next program gets this one's
	env := []string{"GATEWAY_TEST_PEER=" + sock, "GATEWAY_TEST_AS=plain"}
	next := exec.Command("/proc/self/exe", os.Args[1:]...)
	next.Env, next.Stdout, next.Stderr, next.SysProcAttr = env, os.Stdout, os.Stderr, &syscall.SysProcAttr{}
	var err error
	switch os.Getenv("GATEWAY_TEST_AS") {
	case "plain":
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // only a broken server takes it
		defer cancel()
		word := "served"
		if _, err := Status.Ask(ctx, NewClient(Dial(sock)), ""); err != nil {
			word = "refused"
		}
		fmt.Printf("the peer was %s.\n", word)
		return
	case "no new privileges":
		err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	case "system call filter":
		err = filterAll()
	case "process namespace":
		next.SysProcAttr.Cloneflags = unix.CLONE_NEWPID
		if uid := os.Getuid(); uid != 0 {
			next.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
			next.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Run(); err != nil {
		t.Fatal(err)
	}
}

// filterAll puts a filter on this thread that lets every system call through. Without
// no_new_privs only root may.
func filterAll() error {
	if os.Getuid() != 0 {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	prog := unix.SockFprog{Len: 1, Filter: &allow}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}

func TestProcess_Confined(t *testing.T) {
	self := process{namespaces: 2, noNewPrivs: 1, seccomp: 2, filters: 3} // an agent that is confined itself
	for name, c := range map[string]struct {
		p    process
		want bool
	}{
		"a person's":            {process{namespaces: 2}, false},
		"like the agent":        {self, false},
		"one more filter":       {process{namespaces: 2, noNewPrivs: 1, seccomp: 2, filters: 4}, true},
		"privileges given up":   {process{namespaces: 2, noNewPrivs: 2, seccomp: 2, filters: 3}, true},
		"a filter, not counted": {process{namespaces: 2, noNewPrivs: 1, seccomp: 3, filters: 3}, true},
		"one more namespace":    {process{namespaces: 3}, true},
		"outside of here":       {process{namespaces: 1}, true},
		"nothing known":         {process{}, true},
	} {
		if got := c.p.confined(self); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !startedHere(0) {
		t.Error("a process that can't be seen from here is let in")
	}
}
