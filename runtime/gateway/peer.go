package gateway

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// peer is the process at the other end.
type peer struct {
	pid    int // 0 for one that can't be seen from here
	uid    uint32
	groups []uint32 // all of them, the first one included
}

// allowed reports whether a peer may talk to the agent. What the agent started may
// not, however it got at the socket: it would answer the questions about itself. Such
// a process has the agent's own user and can't get another.
func (p peer) allowed(a Access) bool {
	if p.uid == uint32(os.Getuid()) {
		return !startedHere(p.pid)
	}
	return p.uid == 0 || a == OwnGroup && slices.Contains(p.groups, uint32(os.Getgid()))
}

// startedHere reports whether a process is below this one, or bears the mark of a
// confined command: another process namespace, no way to new privileges, a filter of
// system calls, each where this process has none. A mark can't be taken off, so it
// also tells a command whose parents, or whose agent, are gone. One that can't be
// looked at counts as started here.
func startedHere(pid int) bool {
	self, err := processOf(os.Getpid())
	if err != nil {
		return true
	}
	p, err := processOf(pid)
	if err != nil || p.confined(self) {
		return true
	}
	for range deepest {
		switch p.parent {
		case 0:
			return false
		case os.Getpid():
			return true
		}
		if p, err = processOf(p.parent); err != nil {
			return true
		}
	}
	return true
}

// deepest is how many parents a person's process may have.
const deepest = 1000

// process is what everybody may know of one.
type process struct {
	state      string // a letter and its word, such as: T (stopped)
	parent     int
	namespaces int // process namespaces that it is in, this one included
	noNewPrivs int // 1 when it can't get new privileges
	seccomp    int // 0 for no filter of system calls
	filters    int // how many of them; 0 as well on a kernel that does not tell (before 5.9)
}

// confined reports whether a process is more confined than self is.
func (p process) confined(self process) bool {
	return p.namespaces != self.namespaces || p.noNewPrivs > self.noNewPrivs ||
		p.seccomp > self.seccomp || p.filters > self.filters
}

// processOf reads what the kernel tells of a process.
func processOf(pid int) (process, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return process{}, err
	}
	p := process{parent: -1}
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(line, ":")
		words := strings.Fields(value)
		switch key {
		case "State":
			p.state = strings.TrimSpace(value)
			continue
		case "NSpid":
			p.namespaces = len(words)
			continue
		}
		into := map[string]*int{"PPid": &p.parent, "NoNewPrivs": &p.noNewPrivs, "Seccomp": &p.seccomp, "Seccomp_filters": &p.filters}[key]
		if into == nil || len(words) != 1 {
			continue
		}
		if *into, err = strconv.Atoi(words[0]); err != nil {
			return process{}, err
		}
	}
	if p.parent < 0 || p.namespaces == 0 || p.state == "" {
		return process{}, fmt.Errorf("the kernel does not tell the parent, namespaces and state of process %d", pid)
	}
	return p, nil
}

// peerOf asks the kernel who is at the other end.
func peerOf(c net.Conn) (peer, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return peer{}, fmt.Errorf("a %T has no peer credentials", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var got error
	if err := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); got != nil {
			return
		}
		p.pid, p.uid, p.groups = int(cred.Pid), cred.Uid, append(peerGroups(fd), cred.Gid)
	}); err != nil {
		return peer{}, err
	}
	return p, got
}

// peerGroups are the supplementary groups of the peer; none on a kernel that does
// not tell (before 4.13), which only lets fewer people in.
func peerGroups(fd uintptr) []uint32 {
	groups := make([]uint32, 256)
	size := uint32(len(groups) * 4)
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_PEERGROUPS,
		uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return nil
	}
	return groups[:size/4]
}
