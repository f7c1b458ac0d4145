package sandbox

import (
	"fmt"
	"math"
	"os"
	goruntime "runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The hidden first arguments. They do nothing without the descriptors of a
// launcher.
const (
	roleOuter = "__sandbox-outer"
	roleInner = "__sandbox-inner"
	// plainWord behind the role makes no namespaces.
	plainWord = "plain"
)

// Main plays a role of the sandbox when args (os.Args) ask for one and then ends the
// process; otherwise it reports that it did not. It must come first in main, before
// flags, files and threads.
func Main(args []string) (code int, ran bool) {
	if len(args) < 2 {
		return 0, false
	}
	switch args[1] {
	case roleOuter:
		code = outer(!slices.Contains(args[2:], plainWord))
	case roleInner:
		code = inner()
	default:
		return 0, false
	}
	// At once: there is nothing to put away, and a race detector would first sleep.
	syscall.Exit(code)
	return code, true
}

// outer makes the namespaces and waits. It is small and can be dumped, so that it
// may map the user of its child.
func outer(inNamespaces bool) int {
	goruntime.LockOSThread() // the child's death signal follows this thread
	if err := closeOnExec(fdDoor + 1); err != nil {
		return broken(err)
	}
	attr := &syscall.ProcAttr{
		Dir: "/", Env: smallGo(), Files: []uintptr{0, 1, 2, fdJob, fdReport, fdLife, fdDoor},
		Sys: &syscall.SysProcAttr{},
	}
	if inNamespaces {
		attr.Sys.Pdeathsig = syscall.SIGKILL // the kernel ends the rest with process 1
		namespaces(attr.Sys)
	} // else it must live to end the rest itself: it sees that the launcher is gone
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"hardshell-sandbox", roleInner}, attr)
	if err != nil {
		if inNamespaces {
			why := fmt.Sprintf("namespaces: %v", err)
			if c := findCause("/", os.Geteuid()); c.What != "" {
				why = "namespaces: " + c.What // the errno of a full count reads "no space left on device"
			}
			tell(report{Missing: why})
			return 0
		}
		return broken(err)
	}
	// Only the inner process may hold these: the launcher waits for their end.
	for _, fd := range []int{0, 1, fdJob, fdReport, fdDoor} {
		_ = unix.Close(fd)
	}
	if err := harden(); err != nil { // its child's user is mapped
		return broken(err)
	}
	if e := wait(pid); e.Code != 0 {
		fmt.Fprintf(os.Stderr, "the process that holds the command ended: %+v\n", e)
		return 1
	}
	return 0
}

// smallGo is the environment of the processes that make the sandbox: one thread's
// worth of Go, no collector. The command gets none of it.
func smallGo() []string { return []string{"GOMAXPROCS=1", "GOGC=off"} }

// namespaces asks for all of them. An ordinary user needs one for users first and
// keeps, inside it, the two capabilities that building the root takes.
func namespaces(a *syscall.SysProcAttr) {
	a.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	if os.Geteuid() == 0 {
		return
	}
	a.Cloneflags |= unix.CLONE_NEWUSER
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
}

// closeOnExec keeps every descriptor from first on out of what is started: the agent
// may have been given some that it knows nothing of.
func closeOnExec(first int) error {
	err := unix.CloseRange(uint(first), math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // kernels before 5.11
	if err != nil {
		return fmt.Errorf("close what was inherited: %w", err)
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

func broken(err error) int {
	fmt.Fprintf(os.Stderr, "%v\n", err)
	return 1
}
