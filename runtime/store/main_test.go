package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"hardshell/policy/audit"
	"hardshell/runtime/event"
)

// childEnv names what this test binary does when it is started as a child:
// "hold DIR", "write DIR", "open DIR".
const childEnv = "HARDSHELL_STORE_CHILD"

func TestMain(m *testing.M) {
	what, dir, _ := strings.Cut(os.Getenv(childEnv), " ")
	switch what {
	case "":
		os.Exit(m.Run())
	case "open":
		os.Exit(childOpen(dir))
	case "hold":
		os.Exit(childHold(dir))
	case "write":
		os.Exit(childWrite(dir))
	default:
		fmt.Println("unknown child", what)
		os.Exit(2)
	}
}

// childOpen opens the folder and says how that went.
func childOpen(dir string) int {
	s, err := Open(dir, Options{LockWait: time.Millisecond})
	var p *event.Problem
	switch {
	case errors.As(err, &p):
		fmt.Printf("%s: %v\n", p.Code, err)
	case err != nil:
		fmt.Println("error:", err)
	default:
		fmt.Println("opened")
		return exitCode(s.Close())
	}
	return 0
}

// childHold opens the folder and keeps it until its input ends.
func childHold(dir string) int {
	s, err := Open(dir, Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("holding")
	bufio.NewScanner(os.Stdin).Scan()
	return exitCode(s.Close())
}

// childWrite appends and records until it is killed, and says each time that the
// store acknowledged it. Small segments make it rotate on the way.
func childWrite(dir string) int {
	s, err := Open(dir, Options{SegmentBytes: 2000})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for i := 0; ; i++ {
		if err := add(s, "main", message(fmt.Sprint("message ", i)), message("second half")); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("entries 2")
		if err := s.Audit.Record(context.Background(), audit.Line{Kind: "act", Tool: "exec", Subject: fmt.Sprint("run ", i)}); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("record")
		if err := s.Values.Put("jobs", fmt.Sprint("j", i%7), 1, i); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("value", i)
		if i%10 == 9 {
			if err := s.db.snapshot(); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	}
}

func exitCode(err error) int {
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// child is this test binary as another process; uid 0 means: as we are.
func child(t *testing.T, what, dir string, uid uint32) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childEnv+"="+what+" "+dir)
	if uid != 0 {
		// Somebody else may not look into the folder where the test binary lies.
		exe = publicCopy(t, exe)
		cmd.Path, cmd.Args = exe, []string{exe}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	return cmd
}

// publicCopy copies the test binary to where everybody may start it.
func publicCopy(t *testing.T, exe string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "store-child-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(dir+"/child", b, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir + "/child"
}
