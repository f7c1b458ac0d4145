package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// wait reaps every process that ends until the command itself does.
func wait(pid int) ended {
	for {
		var st unix.WaitStatus
		got, err := unix.Wait4(-1, &st, unix.WALL, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // no child left, which the command should have been
			return ended{Code: -1, Signal: int(unix.SIGKILL)}
		case got != pid:
		case st.Signaled():
			return ended{Code: -1, Signal: int(st.Signal())}
		case st.Exited():
			return ended{Code: st.ExitStatus()}
		}
	}
}

// left reaps what has ended and tells whether a process of the command still runs. This
// process adopts every orphan, so that what is left stands below it.
func left() bool {
	for {
		got, err := unix.Wait4(-1, nil, unix.WALL|unix.WNOHANG, nil)
		if got == 0 && err == nil {
			return true
		}
		if err != nil && err != unix.EINTR {
			return false
		}
	}
}

// command is the process of the command itself, 0 before it runs. It leads a group
// of its own.
var command atomic.Int64

// watchLife ends this process when the launcher is gone, or wants it so: a byte
// is a signal, SIGTERM for every process of the command and any other for its
// group; the end of the pipe ends it.
func watchLife() {
	b := make([]byte, 1)
	for {
		n, err := unix.Read(fdLife, b)
		switch {
		case err == unix.EINTR:
		case n == 1 && syscall.Signal(b[0]) == unix.SIGTERM:
			term()
		case n == 1:
			if pid := int(command.Load()); pid > 0 {
				_ = unix.Kill(-pid, syscall.Signal(b[0]))
			}
		default:
			endAll()
			syscall.Exit(1) // as process 1: the kernel ends the rest
		}
	}
}

// term asks every process of the command to end.
func term() {
	if os.Getpid() == 1 {
		_ = unix.Kill(-1, unix.SIGTERM)
		return
	}
	for _, p := range descendants() {
		_ = unix.Kill(p, unix.SIGTERM)
	}
}

// endAll ends what is left of a command that has no process namespace of its own:
// this process adopts every orphan, so all of them stand below it.
func endAll() {
	if os.Getpid() == 1 {
		return
	}
	for {
		left := descendants()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			_ = unix.Kill(p, unix.SIGKILL)
		}
		// One of them is a child of this process and about to end; its own children
		// become this process's. The launcher bounds how long this may take.
		if _, err := unix.Wait4(-1, nil, unix.WALL, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}

// descendants lists the processes below this one.
func descendants() []int {
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		// The name in brackets may hold anything; the fields behind it don't.
		_, rest, _ := strings.Cut(string(b[max(0, strings.LastIndexByte(string(b), ')')):]), " ")
		f := strings.Fields(rest)
		if len(f) > 1 && f[0] != "Z" {
			parents[pid], _ = strconv.Atoi(f[1])
		}
	}
	var out []int
	self := os.Getpid()
	for pid := range parents {
		for up, hops := parents[pid], 0; up > 1 && hops < 1000; up, hops = parents[up], hops+1 {
			if up == self {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}
