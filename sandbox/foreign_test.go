package sandbox

import (
	"encoding/binary"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"
)

// TestForeignProgramIsKilled runs a real 32-bit program: exit(0) for another
// architecture, in 99 bytes.
func TestForeignProgramIsKilled(t *testing.T) {
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80} // mov eax,1; xor ebx,ebx; int 0x80
	machine := uint16(3)
	if goruntime.GOARCH == "arm64" {
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
