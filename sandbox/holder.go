package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Holder names the process that holds a command's tree, so that it is known again
// when the agent has started anew.
type Holder struct {
	PID int
	// Start is when the process began, in clock ticks since the boot, and Boot names
	// that boot: numbers of processes are used again.
	Start uint64
	Boot  string
}

// holderOf describes a process of this boot; the zero Holder is one that is gone.
func holderOf(pid int) Holder {
	start, alive := began(pid)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if !alive || err != nil {
		return Holder{}
	}
	return Holder{PID: pid, Start: start, Boot: strings.TrimSpace(string(boot))}
}

// End ends the process, if it is still the one that was meant, and reports whether it
// was. Its tree ends with it, and both are gone when this returns, or two seconds
// have passed.
func (h Holder) End() bool {
	if h.PID <= 1 {
		return false
	}
	fd, err := unix.PidfdOpen(h.PID, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if holderOf(h.PID) != h { // looked at behind the descriptor: it can't be another one later
		return false
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil {
		return false
	}
	for late := time.Now().Add(graceKill); time.Now().Before(late); {
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(graceKill/time.Millisecond)); n > 0 || err != nil && err != unix.EINTR {
			break
		}
	}
	return true
}

// began is when a process began, in clock ticks since the boot; one that has ended
// and was not waited for yet does not count.
func began(pid int) (ticks uint64, alive bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The name in brackets may hold anything; the fields behind it don't.
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(f) < 20 || f[0] == "Z" {
		return 0, false
	}
	ticks, err = strconv.ParseUint(f[19], 10, 64)
	return ticks, err == nil
}
