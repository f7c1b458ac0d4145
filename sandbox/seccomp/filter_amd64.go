package seccomp

import "golang.org/x/sys/unix"

const (
	nativeArch = unix.AUDIT_ARCH_X86_64
	// foreignNumbers begins the calls of x32, which share the architecture's name.
	foreignNumbers = 0x40000000
)

// deniedHere are calls that only this architecture has.
func deniedHere() []uint32 {
	return []uint32{
		unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB,
		unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE,
	}
}

// modersHere are the calls with a mode that only this architecture has.
func modersHere() []moder {
	return []moder{{unix.SYS_CHMOD, 1, -1}, {unix.SYS_CREAT, 1, -1}, {unix.SYS_MKNOD, 1, -1}, {unix.SYS_MKDIR, 1, -1}, {unix.SYS_OPEN, 2, 1}}
}
