package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limit sets the resource limits of this process and all that it starts, but the one
// of memory: see forkBounded.
func limit(j *job) error {
	processes := uint64(j.Limits.Processes)
	if j.Group {
		// The group's limit is the one that is told when it strikes. This one counts forks
		// that are still under way, at most one for each process: at twice the number it
		// can't strike first.
		processes *= 2
	}
	for _, l := range []struct {
		name string
		what int
		most uint64
	}{
		{"core", unix.RLIMIT_CORE, 0},
		{"fsize", unix.RLIMIT_FSIZE, uint64(j.Limits.FileSize)},
		{"nproc", unix.RLIMIT_NPROC, processes},
		{"nofile", unix.RLIMIT_NOFILE, uint64(j.Limits.OpenFiles)},
		{"cpu", unix.RLIMIT_CPU, uint64(j.Seconds)},
		{"memlock", unix.RLIMIT_MEMLOCK, 64 << 10},
		{"msgqueue", unix.RLIMIT_MSGQUEUE, 0},
	} {
		var old unix.Rlimit
		if err := unix.Getrlimit(l.what, &old); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		most := min(l.most, old.Max)
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}

// forkBounded starts the command with its limit of memory. This process keeps its own:
// a Go program that may map nothing more ends at the next thing it needs, and under the
// race detector it has mapped more than any limit when it starts. So the limit stands
// here just while the command is begun, which inherits it, and is then made final for
// the command alone.
func forkBounded(j *job, attr *syscall.ProcAttr) (int, error) {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &own); err != nil {
		return 0, fmt.Errorf("limit of memory: %w", err)
	}
	most := min(uint64(j.Limits.Memory), own.Max)
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: own.Max}); err != nil {
		return 0, fmt.Errorf("limit of memory: %w", err)
	}
	pid, err := syscall.ForkExec(j.Path, j.Argv, attr)
	if back := unix.Setrlimit(unix.RLIMIT_DATA, &own); err == nil && back != nil {
		err = fmt.Errorf("limit of memory: %w", back)
	}
	if err != nil {
		return pid, err
	}
	final := unix.Rlimit{Cur: most, Max: most}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &final, nil); err != nil && err != unix.ESRCH {
		_ = unix.Kill(pid, unix.SIGKILL)
		return pid, fmt.Errorf("limit of memory: %w", err)
	}
	return pid, nil
}

// dieFirst makes the kernel choose a command, not the agent or the model's server,
// when the machine's memory is at its end.
func dieFirst() error {
	if err := write("/proc/self", "oom_score_adj", "1000"); err != nil {
		return fmt.Errorf("end first when memory is at its end: %w", err)
	}
	return nil
}

// everyThread makes a system call on all threads, or, in a build with cgo, where
// that is not possible, on this one, whose child the command is.
func everyThread(trap, a1, a2, a3, a4, a5 uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall6(trap, a1, a2, a3, a4, a5, 0)
	if errno == syscall.ENOTSUP {
		_, _, errno = syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// dropCaps empties every set of capabilities, so that not even a program of root
// has or gains one.
func dropCaps() error {
	// The bounding set only matters to what is started, so this thread's is enough.
	for c := uintptr(0); c < 64; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL { // past the last one that this kernel knows
			break
		}
		if err == unix.EPERM && os.Geteuid() != 0 {
			break // an ordinary user in no namespace: without new privileges the set is out of reach
		}
		if err != nil {
			return fmt.Errorf("empty the bounding set: %w", err)
		}
	}
	// The ambient set goes with the permitted one.
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := everyThread(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none[0])), 0, 0, 0); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return nil
}

// noNewPrivs makes set-user-id files ordinary ones. It is this thread's, whose child
// the command is; the filter takes it to all others.
func noNewPrivs() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }

// harden makes this process closed to others of the same user: none can read its
// memory or environment. The agent calls it first of all.
func harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("close this process to others: %w", err)
	}
	return nil
}
