package main

import (
	"fmt"
	"os"
	goruntime "runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"hardshell/test/rig"
)

// roleOld is the first word of the wrapper.
const roleOld = "__old-kernel"

// old runs a program on which a filter lies that answers ENOSYS to each system call
// that the board's kernel does not have. It comes back only when that fails.
func old(argv []string) error {
	goruntime.LockOSThread() // the filter is this thread's, and so is what it becomes
	// An ordinary user may install a filter only when it gives up new privileges.
	if os.Geteuid() != 0 {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("give up new privileges: %w", err)
		}
	}
	p := filter()
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("install the filter: %w", errno)
	}
	// The first call that 5.15 lacks proves that the filter is in force.
	if _, _, errno := unix.Syscall(rig.LastOld+1, 0, 0, 0); errno != unix.ENOSYS {
		return fmt.Errorf("system call %d answers %v in spite of the filter", rig.LastOld+1, errno)
	}
	return fmt.Errorf("start %s: %w", argv[0], unix.Exec(argv[0], argv, os.Environ()))
}

// filter is the program: numbers above LastOld get ENOSYS, all others pass.
func filter() []unix.SockFilter {
	const atNumber = 0 // of struct seccomp_data
	return []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: atNumber},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: rig.LastOld, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
}
