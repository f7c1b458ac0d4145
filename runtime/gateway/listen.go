package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrPathTooLong means that a unix socket can't be made at a path, since the
// kernel takes at most 107 bytes.
var ErrPathTooLong = errors.New("the path of a unix socket may have at most 107 bytes")

// Listen makes the agent's unix socket, mode 0600, in place of a dead one. The
// caller holds the store's lock, so that no living agent can own the old socket.
func Listen(path string) (net.Listener, error) {
	if len(path) > 107 {
		return nil, fmt.Errorf("%w: %s has %d; choose a shorter --state", ErrPathTooLong, path, len(path))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}
	old := unix.Umask(0o177)
	l, err := net.Listen("unix", path)
	unix.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("listen on the agent's socket: %w", err)
	}
	return &ownersOnly{l}, nil
}

// Dial gives the dial function for a socket path.
func Dial(path string) func(ctx context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
}

// ownersOnly lets in processes of the agent's own user and of root, whatever the
// mode of the socket file became.
type ownersOnly struct{ net.Listener }

// Accept waits for the next connection of an allowed peer; others are closed.
func (l *ownersOnly) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peer(c); err == nil && (uid == uint32(os.Getuid()) || uid == 0) {
			return c, nil
		}
		c.Close()
	}
}

// peer is the user id of the process at the other end.
func peer(c net.Conn) (uint32, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("a %T has no peer credentials", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var got error
	if err := raw.Control(func(fd uintptr) {
		cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if got != nil {
		return 0, got
	}
	return cred.Uid, nil
}

// Local is a listener in memory, for a client in the agent's own process.
type Local struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// NewLocal gives an open one.
func NewLocal() *Local { return &Local{conns: make(chan net.Conn), done: make(chan struct{})} }

// Accept waits for the next Dial.
func (l *Local) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial.
func (l *Local) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr names the listener.
func (l *Local) Addr() net.Addr { return &net.UnixAddr{Name: "in-process", Net: "unix"} }

// Dial connects to the listener.
func (l *Local) Dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
