package jetson

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mostBytes bounds what is read of one file; all of them are far smaller.
const mostBytes = 64 << 10

// Tree is the file system under a folder, read with plain system calls. A file of
// the os package hands EAGAIN to the poller and waits for ever, and that is what
// a thermal zone answers whose block is switched off.
func Tree(root string) fs.FS { return tree{os.DirFS(root), root} }

type tree struct {
	fs.FS
	root string
}

// ReadFile reads a file up to 64 KiB.
func (t tree) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	fd, err := again(func() (int, error) {
		return syscall.Open(filepath.Join(t.root, name), syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOCTTY, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer syscall.Close(fd) // read only: nothing can be lost
	buf := make([]byte, 0, 4096)
	for len(buf) < mostBytes {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := again(func() (int, error) { return syscall.Read(fd, buf[len(buf):min(cap(buf), mostBytes)]) })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n <= 0 {
			break
		}
		buf = buf[:len(buf)+n]
	}
	return buf, nil
}

// ReadDir lists a folder.
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.FS, name) }

// again repeats a system call that a signal interrupted.
func again(do func() (int, error)) (int, error) {
	for {
		n, err := do()
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
