package seccomp

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in what the kernel shows a filter of a call.
const (
	atNumber = 0
	atArch   = 4
	atArg0   = 16 // low half of the first argument, little endian
	atArg1   = 24
)

// What a filter answers.
const (
	answerAllow = unix.SECCOMP_RET_ALLOW
	answerKill  = unix.SECCOMP_RET_KILL_PROCESS
	answerPerm  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerNoSys = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	answerAsk   = unix.SECCOMP_RET_USER_NOTIF
)

// denied are calls that no command of a lab needs and that reach the kernel, other
// processes, or a way out.
func denied() []uint32 {
	return append([]uint32{
		// mounts and roots
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT,
		// namespaces
		unix.SYS_UNSHARE, unix.SYS_SETNS,
		// other processes
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_PROCESS_MADVISE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
		// the kernel itself
		unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_BPF,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SYSLOG, unix.SYS_REBOOT, unix.SYS_NFSSERVCTL,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_LOOKUP_DCOOKIE, unix.SYS_FANOTIFY_INIT,
		// keys, clock, names
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
		// files by handle, past every path
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	}, deniedHere()...)
}

// missingHere are calls that are answered as if this kernel did not have them, so
// that libraries take an older one that a filter can look into. Memory files would
// be programs that lie nowhere.
func missingHere() []uint32 {
	return []uint32{unix.SYS_CLONE3, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_OPENAT2}
}

// newestCall is the last call that was looked at when the lists above were made. What
// later kernels add is answered as if this one did not have it: a list of what is
// denied says nothing of it.
const newestCall = unix.SYS_REMOVEXATTRAT

// newNamespaces are the flags of clone that make one.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// families are the kinds of socket that a command may make: its own network is
// empty, and netlink only tells it so. Others (vsock, packet, bluetooth, crypto) are
// not bound to a network namespace or are doors into the kernel.
func families() []uint32 {
	return []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
}

// personalities are those that change nothing but the layout of addresses.
func personalities() []uint32 { return []uint32{0, 0xffffffff, 0x0040000} }

// Controls that put words into a terminal.
const (
	ioctlFakeInput = 0x5412
	ioctlConsole   = 0x541c
)

func stmt(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jump(code uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
}

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	answer = unix.BPF_RET | unix.BPF_K
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	most   = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	anyOf  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
)

// filter is the program. A process of another architecture is killed at its first
// call: the numbers below would mean something else there. Where starts are
// supervised, a process that wants to start a program waits for an answer.
func filter(supervised bool) []unix.SockFilter {
	p := []unix.SockFilter{
		stmt(load, atArch), jump(equal, nativeArch, 1, 0), stmt(answer, answerKill),
		stmt(load, atNumber),
	}
	if foreignNumbers != 0 {
		p = append(p, jump(most, foreignNumbers, 0, 1), stmt(answer, answerKill))
	}
	p = append(p, jump(most, newestCall+1, 0, 1), stmt(answer, answerNoSys))
	if supervised {
		p = append(p, jump(equal, unix.SYS_EXECVE, 1, 0), jump(equal, unix.SYS_EXECVEAT, 0, 1), stmt(answer, answerAsk))
	}
	for _, nr := range denied() {
		p = append(p, jump(equal, nr, 0, 1), stmt(answer, answerPerm))
	}
	for _, nr := range missingHere() {
		p = append(p, jump(equal, nr, 0, 1), stmt(answer, answerNoSys))
	}
	p = append(p, jump(equal, unix.SYS_CLONE, 0, 3), stmt(load, atArg0), jump(anyOf, newNamespaces, 0, 1), stmt(answer, answerPerm), stmt(load, atNumber))
	for _, m := range moders() {
		p = append(p, noSetID(m)...)
	}
	p = append(p, only(unix.SYS_SOCKET, families())...)
	p = append(p, only(unix.SYS_PERSONALITY, personalities())...)
	p = append(p,
		jump(equal, unix.SYS_IOCTL, 0, 4), stmt(load, atArg1),
		jump(equal, ioctlFakeInput, 1, 0), jump(equal, ioctlConsole, 0, 1), stmt(answer, answerPerm),
		stmt(answer, answerAllow))
	return p
}

// setID are the mode bits that make a program run as its owner or its group.
const setID = unix.S_ISUID | unix.S_ISGID

// creates are the flags of open that make its mode count.
const creates = unix.O_CREAT | 0x400000 /* __O_TMPFILE */

// moder is a call that takes a mode: the places of mode and, for those that open, flags
// among its arguments; flags is -1 where the mode always counts.
type moder struct {
	nr          uint32
	mode, flags int
}

// moders are the calls that could leave a file that runs as its owner, which as root's
// would give root to whoever starts it. A folder may not get the bits either.
func moders() []moder {
	return append([]moder{
		{unix.SYS_FCHMOD, 1, -1},
		{unix.SYS_FCHMODAT, 2, -1},
		{unix.SYS_FCHMODAT2, 2, -1},
		{unix.SYS_MKNODAT, 2, -1},
		{unix.SYS_MKDIRAT, 2, -1},
		{unix.SYS_OPENAT, 3, 2},
	}, modersHere()...)
}

// noSetID refuses a mode with such bits.
func noSetID(m moder) []unix.SockFilter {
	at := func(arg int) uint32 { return atArg0 + 8*uint32(arg) }
	check := []unix.SockFilter{stmt(load, at(m.mode)), jump(anyOf, setID, 0, 1), stmt(answer, answerPerm)}
	if m.flags >= 0 {
		check = append([]unix.SockFilter{stmt(load, at(m.flags)), jump(anyOf, creates, 0, uint8(len(check)))}, check...)
	}
	p := append([]unix.SockFilter{jump(equal, m.nr, 0, uint8(len(check)+1))}, check...)
	return append(p, stmt(load, atNumber))
}

// only lets a call through when its first argument is one of a few values.
func only(nr uint32, values []uint32) []unix.SockFilter {
	n := uint8(len(values))
	p := []unix.SockFilter{jump(equal, nr, 0, n+3), stmt(load, atArg0)}
	for i, v := range values {
		p = append(p, jump(equal, v, n-uint8(i), 0))
	}
	return append(p, stmt(answer, answerPerm), stmt(load, atNumber))
}

// Install puts the filter in force on every thread.
func Install() error {
	_, err := set(filter(false), 0)
	return err
}

// InstallAsking does so with a filter that asks a listener about each program start, and
// gives that listener. It is false on a kernel that can't: listener and all threads at
// once need Linux 5.7.
func InstallAsking() (int, bool) {
	p := filter(true)
	const both = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH
	// Signals then don't make a process ask twice; since Linux 5.19.
	listener, err := set(p, both|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if err == unix.EINVAL {
		listener, err = set(p, both)
	}
	if err != nil { // such as a listener that somebody else has above this process
		return -1, false
	}
	return listener, true
}

// set installs a filter on every thread.
func set(p []unix.SockFilter, flags uintptr) (int, error) {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC|flags, uintptr(unsafe.Pointer(&prog)))
	switch {
	case errno != 0:
		return -1, errno
	case r != 0 && flags == 0:
		return -1, fmt.Errorf("thread %d can't take the filter", r)
	}
	return int(r), nil
}
