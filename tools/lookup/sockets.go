package lookup

import (
	wire "encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// A socket in the workspace is a door: its own network keeps a command from no process
// that listens on a path. So commands don't see those behind which a process outside
// stands. What they make themselves, and what is left of a process that is gone, they do.

// doors are the sockets bound to a path in this network namespace, by the lower half of
// their inode. All is true where the kernel does not tell them: then each counts.
type doors struct {
	all    bool
	inodes map[uint32]bool
}

// open reports a socket that somebody outside may listen on.
func (d doors) open(entry fs.DirEntry) bool {
	info, err := entry.Info()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return d.all || !ok || d.inodes[uint32(st.Ino)]
}

// Parts of the kernel's answer about sockets (linux/unix_diag.h).
const (
	diagRequest  = 20 // SOCK_DIAG_BY_FAMILY
	diagShowPath = 2  // UDIAG_SHOW_VFS
	diagPath     = 1  // UNIX_DIAG_VFS: inode and device, four bytes each
	diagHead     = 16 // struct unix_diag_msg
)

// lookForDoors asks the kernel for them.
func lookForDoors() doors {
	found, err := unixSockets()
	if err != nil {
		return doors{all: true}
	}
	return doors{inodes: found}
}

// unixSockets lists the inodes of all sockets of this namespace that have a path.
func unixSockets() (map[uint32]bool, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	le := wire.NativeEndian
	const size = unix.SizeofNlMsghdr + 24
	ask := le.AppendUint32(nil, size)
	ask = le.AppendUint16(ask, diagRequest)
	ask = le.AppendUint16(ask, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	ask = append(ask, make([]byte, 8)...)             // number and port
	ask = append(ask, unix.AF_UNIX, 0, 0, 0)          // family, protocol
	ask = le.AppendUint32(ask, 0xffffffff)            // in every state
	ask = le.AppendUint32(ask, 0)                     // every socket
	ask = le.AppendUint32(ask, diagShowPath)          // and where it lies
	ask = append(ask, make([]byte, size-len(ask))...) // cookie
	if err := unix.Sendto(fd, ask, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	found := map[uint32]bool{}
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			return nil, err
		}
		messages, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			switch m.Header.Type {
			case unix.NLMSG_DONE:
				return found, nil
			case unix.NLMSG_ERROR:
				return nil, fmt.Errorf("the kernel lists no sockets")
			}
			for b := m.Data[min(diagHead, len(m.Data)):]; len(b) >= 4; {
				length := int(le.Uint16(b))
				if length < 4 || length > len(b) {
					break
				}
				if le.Uint16(b[2:]) == diagPath && length >= 8 {
					found[le.Uint32(b[4:])] = true
				}
				b = b[min((length+3)&^3, len(b)):]
			}
		}
	}
}
