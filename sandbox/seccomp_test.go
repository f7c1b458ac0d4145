package sandbox

import (
	"encoding/binary"
	"os"
	"path/filepath"
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

// TestForeignProgramIsKilled runs a real 32-bit program: exit(0) for another
// architecture, in 99 bytes.
func TestForeignProgramIsKilled(t *testing.T) {
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80} // mov eax,1; xor ebx,ebx; int 0x80
	machine := uint16(3)
	if nativeArch == unix.AUDIT_ARCH_AARCH64 {
		code = []byte{0x01, 0x70, 0xa0, 0xe3, 0x00, 0x00, 0xa0, 0xe3, 0x00, 0x00, 0x00, 0xef} // mov r7,#1; mov r0,#0; svc 0
		machine = 40
	}
	l := newLab(t)
	path := filepath.Join(l.dir, "foreign")
	if err := os.WriteFile(path, elf32(machine, code), 0o755); err != nil {
		t.Fatal(err)
	}
	out, x := l.sh(t, "exec ./foreign", func(s *Spec) { s.WritableRun = true })
	// A kernel that can't run such programs at all refuses them by itself (126).
	if x.Signal != "SIGSYS" && x.Code != 126 {
		t.Errorf("a 32-bit program ended with %+v %s", x, out)
	}
	t.Logf("%+v", x)
}

// elf32 is a static program for a 32-bit machine.
func elf32(machine uint16, code []byte) []byte {
	const base, head = 0x10000, 52 + 32
	le := binary.LittleEndian
	b := []byte("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, machine)
	flags := uint32(0)
	if machine == 40 {
		flags = 0x05000000
	}
	for _, v := range []uint32{1, base + head, 52, 0, flags} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint16{52, 32, 1, 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	size := uint32(head + len(code))
	for _, v := range []uint32{1, 0, base, base, size, size, 5, 0x1000} {
		b = le.AppendUint32(b, v)
	}
	return append(b, code...)
}
