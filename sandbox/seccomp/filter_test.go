package seccomp

import (
	"testing"

	"golang.org/x/sys/unix"
)

// judge runs the filter on one call, as the kernel does.
func judge(t *testing.T, p []unix.SockFilter, arch, nr, arg0, arg1 uint32) uint32 {
	t.Helper()
	data := map[uint32]uint32{atNumber: nr, atArch: arch, atArg0: arg0, atArg1: arg1}
	var a uint32
	for pc := 0; pc < len(p); pc++ {
		in, yes := p[pc], false
		switch in.Code {
		case load:
			a = data[in.K]
			continue
		case answer:
			return in.K
		case equal:
			yes = a == in.K
		case most:
			yes = a >= in.K
		case anyOf:
			yes = a&in.K != 0
		default:
			t.Fatalf("instruction %d has code %#x", pc, in.Code)
		}
		if yes {
			pc += int(in.Jt)
		} else {
			pc += int(in.Jf)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

func TestFilter(t *testing.T) {
	p := filter(false)
	for _, c := range []struct {
		name                 string
		arch, nr, arg0, arg1 uint32
		want                 uint32
	}{
		{"read", nativeArch, unix.SYS_READ, 0, 0, answerAllow},
		{"execve", nativeArch, unix.SYS_EXECVE, 0, 0, answerAllow},
		{"mount", nativeArch, unix.SYS_MOUNT, 0, 0, answerPerm},
		{"ptrace", nativeArch, unix.SYS_PTRACE, 16, 0, answerPerm},
		{"clone of a thread", nativeArch, unix.SYS_CLONE, unix.CLONE_VM | unix.CLONE_THREAD, 0, answerAllow},
		{"clone of a process", nativeArch, unix.SYS_CLONE, uint32(unix.SIGCHLD), 0, answerAllow},
		{"clone with a user namespace", nativeArch, unix.SYS_CLONE, unix.CLONE_NEWUSER | uint32(unix.SIGCHLD), 0, answerPerm},
		{"clone3", nativeArch, unix.SYS_CLONE3, 0, 0, answerNoSys},
		{"memfd_create", nativeArch, unix.SYS_MEMFD_CREATE, 0, 0, answerNoSys},
		{"open_tree_attr, a newer way to mount", nativeArch, 467, 0, 0, answerNoSys},
		{"one that no kernel has yet", nativeArch, 100_000, 0, 0, answerNoSys},
		{"the newest that is known", nativeArch, newestCall, 0, 0, answerAllow},
		{"unix socket", nativeArch, unix.SYS_SOCKET, unix.AF_UNIX, 0, answerAllow},
		{"inet6 socket", nativeArch, unix.SYS_SOCKET, unix.AF_INET6, 0, answerAllow},
		{"netlink socket", nativeArch, unix.SYS_SOCKET, unix.AF_NETLINK, 0, answerAllow},
		{"vsock", nativeArch, unix.SYS_SOCKET, unix.AF_VSOCK, 0, answerPerm},
		{"alg", nativeArch, unix.SYS_SOCKET, unix.AF_ALG, 0, answerPerm},
		{"personality, as it is", nativeArch, unix.SYS_PERSONALITY, 0xffffffff, 0, answerAllow},
		{"personality, 32 bit", nativeArch, unix.SYS_PERSONALITY, 8, 0, answerPerm},
		{"ioctl size of a terminal", nativeArch, unix.SYS_IOCTL, 0, unix.TIOCGWINSZ, answerAllow},
		{"ioctl fake input", nativeArch, unix.SYS_IOCTL, 0, unix.TIOCSTI, answerPerm},
		{"ioctl console", nativeArch, unix.SYS_IOCTL, 0, unix.TIOCLINUX, answerPerm},
		{"another architecture, read", 0x40000003, 3, 0, 0, answerKill},
		{"another architecture, any", unix.AUDIT_ARCH_ARM, unix.SYS_READ, 0, 0, answerKill},
	} {
		if got := judge(t, p, c.arch, c.nr, c.arg0, c.arg1); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
	for _, nr := range denied() {
		if got := judge(t, p, nativeArch, nr, 0, 0); got != answerPerm {
			t.Errorf("call %d: %#x", nr, got)
		}
	}
	if foreignNumbers != 0 {
		if got := judge(t, p, nativeArch, foreignNumbers+unix.SYS_MOUNT, 0, 0); got != answerKill {
			t.Errorf("x32: %#x", got)
		}
	}
	t.Logf("%d instructions, %d calls refused", len(p), len(denied())+len(missingHere()))
}
