package lookup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"hardshell/policy"
)

// MaxLinks is how many links one path may go through, as in the kernel.
const MaxLinks = 40

// Follow finds where a path leads, the way the kernel would: part by part, links
// followed, ".." taken from where the walk stands. What does not exist is appended
// as written. The path must be absolute.
func Follow(path string) (real string, err error) {
	rest := strings.Split(path, "/")
	at, links := "/", 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			// Nothing to follow any more: the rest is text.
			return filepath.Join(append([]string{next}, rest...)...), nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		if links++; links > MaxLinks {
			return "", fmt.Errorf("%s goes through more than %d links; name the file itself", path, MaxLinks)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}

// KindOf names what a file is, in policy's words.
func KindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "dir"
	case m&fs.ModeDevice != 0:
		return "device"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "other"
}

// Path is the fact of one path, relative to dir. It is absent when the path
// can't be looked up: policy then denies.
func Path(dir, path string) (policy.Path, bool) {
	if path == "" || strings.ContainsRune(path, 0) || len(path) > 4096 {
		return policy.Path{}, false
	}
	whole := path
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(dir) {
			return policy.Path{}, false
		}
		whole = dir + "/" + path // not Join: ".." behind a link is no text
	}
	real, err := Follow(whole)
	if err != nil {
		return policy.Path{}, false
	}
	f := policy.Path{Abs: filepath.Clean(whole), Real: real}
	if info, err := os.Lstat(strings.TrimRight(whole, "/")); err == nil {
		f.Link = info.Mode()&fs.ModeSymlink != 0
	}
	switch info, err := os.Lstat(real); {
	case err == nil:
		f.Exists, f.Kind = true, KindOf(info.Mode())
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
	default:
		return policy.Path{}, false
	}
	return f, true
}

// OpenDir opens a folder for reading and nothing else: a pipe would wait for a writer.
func OpenDir(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}
