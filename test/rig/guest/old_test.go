package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hardshell/test/rig"
)

// asks makes this binary tell what a few system calls answer.
const asks = "__what-does-it-answer"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case roleOld:
			fmt.Fprintln(os.Stderr, old(os.Args[2:]))
			os.Exit(125)
		case asks:
			for _, nr := range []uintptr{unix.SYS_GETPID, rig.LastOld, rig.LastOld + 1, rig.LastOld + 2} {
				_, _, errno := unix.Syscall6(nr, ^uintptr(0), 0, ^uintptr(0), 0, 0, 0)
				fmt.Print(nr <= rig.LastOld, errors.Is(errno, unix.ENOSYS), " ")
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// Under the wrapper the last call of 5.15 is there and none after it, for root and
// for an ordinary user.
func TestOldKernel(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []uint32{0, 1234} {
		cmd := exec.Command("/proc/self/exe", roleOld, "/proc/self/exe", asks)
		if user != 0 && os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
			cmd.Args[2] = publicCopy(t, exe)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("user %d: %v\n%s", user, err, out)
		}
		if got, want := strings.TrimSpace(string(out)), "true false true false false true false true"; got != want {
			t.Errorf("user %d: %q, want %q", user, got, want)
		}
	}
}

// publicCopy copies the test binary to where everybody may start it.
func publicCopy(t *testing.T, exe string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rig-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(dir+"/guest", b, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir + "/guest"
}
