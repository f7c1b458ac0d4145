package rig

import (
	"bytes"
	"fmt"
	"io/fs"
)

// entry is one file of an initramfs.
type entry struct {
	name string // without a leading slash
	mode fs.FileMode
	data []byte
}

// archive is the initramfs in the form that the kernel unpacks: cpio, "newc".
func archive(entries []entry) []byte {
	var b bytes.Buffer
	for i, e := range append(entries, entry{name: "TRAILER!!!"}) {
		mode := uint32(e.mode.Perm())
		switch {
		case e.mode.IsDir():
			mode |= 0o040000
		case e.name != "TRAILER!!!":
			mode |= 0o100000
		}
		fmt.Fprintf(&b, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
			i+1, mode, 0, 0, 1, 0, len(e.data), 0, 0, 0, 0, len(e.name)+1, 0)
		b.WriteString(e.name + "\x00")
		pad(&b)
		b.Write(e.data)
		pad(&b)
	}
	return b.Bytes()
}

// pad fills up to a multiple of four bytes.
func pad(b *bytes.Buffer) {
	for b.Len()%4 != 0 {
		b.WriteByte(0)
	}
}
