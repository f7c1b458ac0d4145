package sandbox

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Running is a command while it runs. Its methods may be called from any goroutine,
// also when the command has ended meanwhile.
type Running struct {
	// Holder is the process that holds the command's tree: when it ends, so does
	// everything.
	Holder Holder
	// Layers and Weaker are what Exit will say.
	Layers []string
	Weaker string

	stdin, life *os.File
}

// writeWait bounds how long a command may take to read its input.
const writeWait = 2 * time.Second

// running is this command for others.
func (r *run) running() *Running {
	out := &Running{Holder: holderOf(r.cmd.Process.Pid), life: r.p.life}
	if r.spec.Open {
		out.stdin = r.p.stdin
	}
	for _, one := range r.reports {
		if one.Layers != nil {
			out.Layers = slices.Clone(one.Layers)
		}
	}
	return out
}

// Write feeds the command's stdin and gives how many bytes it took. A command that
// does not read is waited for two seconds. Without Spec.Open there is nothing to
// write to.
func (r *Running) Write(p []byte) (int, error) {
	if r.stdin == nil {
		return 0, os.ErrClosed
	}
	if err := r.stdin.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return 0, os.ErrClosed // the one thing that can be wrong with a pipe of ours
	}
	return r.stdin.Write(p)
}

// CloseInput ends the command's stdin.
func (r *Running) CloseInput() error {
	if r.stdin == nil {
		return os.ErrClosed
	}
	return r.stdin.Close()
}

// Signal sends SIGINT, SIGQUIT or SIGHUP to the group of the command, as a terminal
// would, or SIGTERM to each of its processes.
func (r *Running) Signal(s syscall.Signal) error {
	switch s {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGHUP, unix.SIGTERM:
	default:
		return fmt.Errorf("the signal %s can't be sent to a command; end it instead", unix.SignalName(s))
	}
	_, err := r.life.Write([]byte{byte(s)})
	return err
}
