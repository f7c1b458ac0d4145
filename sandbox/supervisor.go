package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is what the kernel tells of a call that waits (struct seccomp_notif).
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// response answers it (struct seccomp_notif_resp).
type response struct {
	id    uint64
	val   int64
	error int32
	flags uint32
}

// supervisor answers each program start of one command.
type supervisor struct {
	judge func(Start) error
	// writable are the trees that the command can write.
	writable []string
	// door is where the sandbox hands the listener over; stop ends the supervision.
	door, stop *os.File
	started    startList
	// first is true until the launcher's own start of the command, which was judged
	// before and whose process can't be read.
	first bool
}

// run takes the listener and answers until the command is over. A program start
// that finds nobody to answer fails.
func (s *supervisor) run() {
	listener, err := s.receive()
	if err != nil {
		return // the sandbox broke or does without, which it reports
	}
	defer unix.Close(listener)
	s.first = true
	for s.ready(listener) {
		var n notification
		err := control(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		switch err {
		case nil:
			s.answer(listener, &n)
		case unix.EINTR, unix.ENOENT: // the process ended meanwhile
		default:
			return
		}
	}
}

// ready waits for a program start, and reports false when the command is over.
func (s *supervisor) ready(listener int) bool {
	fds := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}, {Fd: int32(s.stop.Fd())}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case err == unix.EINTR:
		case err != nil, fds[1].Revents != 0, fds[0].Revents&unix.POLLIN == 0:
			return false
		default:
			return true
		}
	}
}

// answer judges one start. What can't be read is refused.
func (s *supervisor) answer(listener int, n *notification) {
	r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if s.first {
		s.first = false
	} else if errno := s.verdict(listener, n); errno != 0 {
		r.flags, r.error = 0, -int32(errno)
	}
	// The process may have ended meanwhile, and then there is nobody to tell.
	_ = control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

// verdict is 0 for a start that may go on.
func (s *supervisor) verdict(listener int, n *notification) unix.Errno {
	start, err := target{int(n.pid), s.writable}.start(n)
	// Only now is it sure that all of this was read from the process that waits, and
	// not from another one that was given its number.
	if control(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)) != nil {
		return unix.ENOENT
	}
	var errno unix.Errno
	switch {
	case errors.As(err, &errno):
		return errno
	case err != nil:
		return unix.EACCES
	}
	if start.Loose {
		s.started.add(start, "it is named through a place where commands can turn the name elsewhere")
		return unix.EACCES
	}
	if err := s.judge(start); err != nil {
		s.started.add(start, err.Error())
		return unix.EACCES
	}
	s.started.add(start, "")
	return 0
}

// receive takes the listener from the sandbox.
func (s *supervisor) receive() (int, error) {
	var b [1]byte
	oob := make([]byte, unix.CmsgSpace(4))
	for {
		fds := []unix.PollFd{{Fd: int32(s.door.Fd()), Events: unix.POLLIN}, {Fd: int32(s.stop.Fd())}}
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		}
		_, got, _, _, err := unix.Recvmsg(int(s.door.Fd()), b[:], oob, unix.MSG_CMSG_CLOEXEC|unix.MSG_DONTWAIT)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return -1, err
		case got == 0:
			return -1, errors.New("no listener came")
		}
		messages, err := unix.ParseSocketControlMessage(oob[:got])
		if err != nil || len(messages) != 1 {
			return -1, fmt.Errorf("read the listener: %w", err)
		}
		rights, err := unix.ParseUnixRights(&messages[0])
		if err != nil || len(rights) != 1 {
			return -1, fmt.Errorf("read the listener: %w", err)
		}
		return rights[0], nil
	}
}

// handOver gives the listener to the launcher. From then on the sandbox does not
// have it.
func handOver(listener int) error {
	defer unix.Close(listener)
	defer unix.Close(fdDoor)
	if err := unix.Sendmsg(fdDoor, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("hand the listener over: %w", err)
	}
	return nil
}

// control is an ioctl with a structure.
func control(fd int, what uint, arg unsafe.Pointer) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(what), uintptr(arg))
	if errno != 0 {
		return errno
	}
	return nil
}
