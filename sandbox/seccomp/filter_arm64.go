package seccomp

import "golang.org/x/sys/unix"

const (
	nativeArch     = unix.AUDIT_ARCH_AARCH64
	foreignNumbers = 0
)

// deniedHere are calls that only this architecture has.
func deniedHere() []uint32 { return []uint32{unix.SYS_KEXEC_FILE_LOAD} }

// modersHere are the calls with a mode that only this architecture has.
func modersHere() []moder { return nil }
