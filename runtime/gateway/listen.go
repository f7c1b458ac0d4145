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

// errPathTooLong means that a unix socket can't be made at a path, since the
// kernel takes at most 107 bytes.
var errPathTooLong = errors.New("the path of a unix socket may have at most 107 bytes")

// Access says who may talk to an agent besides its own user and root.
type Access bool

// OwnerOnly is an agent of one person; OwnGroup is an installed one, which
// members of the group that it runs as may talk to.
const (
	OwnerOnly Access = false
	OwnGroup  Access = true
)

// Listen makes the agent's unix socket in place of a dead one, mode 0600, or 0660
// for the group. The caller holds the store's lock, so that no running agent can
// own the old socket.
func Listen(path string, access Access) (net.Listener, error) {
	if len(path) > 107 {
		return nil, fmt.Errorf("%w: %s has %d; choose a shorter --state", errPathTooLong, path, len(path))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}
	mask := 0o177
	if access == OwnGroup {
		mask = 0o117
	}
	old := unix.Umask(mask)
	l, err := net.Listen("unix", path)
	unix.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("listen on the agent's socket: %w", err)
	}
	return &guarded{l, access}, nil
}

// Dial gives the dial function for a socket path.
func Dial(path string) func(ctx context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
}

// guarded lets in processes of the agent's own user, of root and, where access
// says so, of its group, whatever the mode of the socket file became; what the agent
// itself started never.
type guarded struct {
	net.Listener
	access Access
}

// Accept waits for the next connection of an allowed peer; others are closed.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if p, err := peerOf(c); err == nil && p.allowed(l.access) {
			return c, nil
		}
		c.Close()
	}
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
