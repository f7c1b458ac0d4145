package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// build is where the new root is put together. Whatever lies there stays reachable
// through the clones that were taken before.
const build = "/tmp"

// systemTrees are the trees that every command may read. Of /etc only what programs need
// to run at all: no keys, no accounts beyond names, no configuration of services.
func systemTrees() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
		"/etc/alternatives", "/etc/alsa", "/etc/asound.conf", "/etc/bash_completion.d", "/etc/default/locale",
		"/etc/fonts", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/localtime", "/etc/locale.alias", "/etc/magic", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release",
		"/etc/passwd", "/etc/perl", "/etc/protocols", "/etc/python3", "/etc/services", "/etc/terminfo", "/etc/timezone",
		"/etc/nv_tegra_release", "/etc/debian_version", "/etc/fstab", "/var/lib/dpkg",
	}
}

// mountAt is a tree that was taken hold of before the old root went away.
type mountAt struct {
	fd   int
	path string
	dir  bool
}

// buildRoot makes the file system that the command sees and enters it.
func buildRoot(j *job) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	r := &rootBuilder{job: j}
	defer r.close()
	if err := r.take(); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", build, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=8m,mode=755"); err != nil {
		return fmt.Errorf("make the new root: %w", err)
	}
	if err := r.lay(); err != nil {
		return err
	}
	return r.enter()
}

type rootBuilder struct {
	job    *job
	mounts []mountAt
	links  map[string]string
}

func (r *rootBuilder) close() {
	for _, m := range r.mounts {
		_ = unix.Close(m.fd)
	}
}

// Attributes of the mounts.
const (
	readOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	readData = readOnly | unix.MOUNT_ATTR_NOEXEC
	device   = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
)

// nodes are the devices of every command.
func nodes() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

// take takes hold of everything that the command will see.
func (r *rootBuilder) take() error {
	r.links = map[string]string{}
	for _, p := range r.job.System {
		if err := r.mirror(p, readOnly); err != nil {
			return err
		}
	}
	for _, p := range r.job.Read {
		if err := r.mirror(p, readData); err != nil {
			return err
		}
	}
	for _, p := range append(nodes(), r.job.Devices...) {
		if err := r.clone(p, device); err != nil {
			return err
		}
	}
	attr := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if !r.job.WritableRun {
		attr |= unix.MOUNT_ATTR_NOEXEC
	}
	return r.clone(r.job.Workspace, attr)
}

// mirror takes a path part by part: a link on the way is kept as a link, and what
// it leads to is taken. What does not exist is left out.
func (r *rootBuilder) mirror(path string, attr uint64) error {
	rest := strings.Split(strings.TrimPrefix(filepath.Clean(path), "/"), "/")
	at := "/"
	for hops := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		info, err := os.Lstat(next)
		if err != nil {
			return nil //nolint:nilerr // nothing to show
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			return fmt.Errorf("read the link %s: %w", next, err)
		}
		if hops++; hops > 40 {
			return nil
		}
		r.links[next] = target
		if !filepath.IsAbs(target) {
			target = filepath.Join(at, target)
		}
		at, rest = "/", append(strings.Split(strings.TrimPrefix(filepath.Clean(target), "/"), "/"), rest...)
	}
	if w := r.job.Workspace; at == w || strings.HasPrefix(at, w+"/") {
		return nil // the workspace is shown as a whole, and writable
	}
	return r.clone(at, attr)
}

// clone takes a detached copy of a mount and narrows it. Trees that lie in one that
// was taken already need no mount of their own.
func (r *rootBuilder) clone(path string, attr uint64) error {
	for _, m := range r.mounts {
		if attr&unix.MOUNT_ATTR_RDONLY != 0 && (m.path == path || m.dir && strings.HasPrefix(path, m.path+"/")) {
			return nil
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return fmt.Errorf("take %s: %w", path, err)
	}
	r.mounts = append(r.mounts, mountAt{fd: fd, path: path, dir: info.IsDir()})
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr}); err != nil {
		return fmt.Errorf("narrow %s: %w", path, err)
	}
	return nil
}

// lay puts everything in its place in the new root.
func (r *rootBuilder) lay() error {
	if err := r.private(); err != nil { // first: what is laid in its folders would be covered
		return err
	}
	for link, target := range r.links {
		if r.within(link) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(build+link), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, build+link); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, m := range r.mounts {
		if err := m.place(); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "shm": "/tmp"} {
		if err := os.Symlink(target, build+"/dev/"+name); err != nil {
			return err
		}
	}
	if err := r.pin(); err != nil {
		return err
	}
	if err := r.lock(); err != nil {
		return err
	}
	return r.hide()
}

// within reports a path inside a tree that is mounted as a whole.
func (r *rootBuilder) within(path string) bool {
	for _, m := range r.mounts {
		if m.dir && strings.HasPrefix(path, m.path+"/") {
			return true
		}
	}
	return false
}

// private makes what belongs to the command alone.
func (r *rootBuilder) private() error {
	for _, d := range []string{"/tmp", "/proc", "/dev", "/etc", "/var"} {
		if err := os.MkdirAll(build+d, 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink("/tmp", build+"/var/tmp"); err != nil {
		return err
	}
	size := fmt.Sprintf("size=%d,mode=1777", r.job.Limits.Tmp)
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	if !r.job.WritableRun {
		flags |= unix.MS_NOEXEC
	}
	if err := unix.Mount("tmpfs", build+"/tmp", "tmpfs", flags, size); err != nil {
		return fmt.Errorf("mount /tmp: %w", err)
	}
	// Read-only as a whole: without capabilities root could still write to it.
	if err := unix.Mount("proc", build+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// place attaches a tree at its own path.
func (m mountAt) place() error {
	at := build + m.path
	if err := makePoint(at, m.dir); err != nil {
		return fmt.Errorf("make a place for %s: %w", m.path, err)
	}
	if err := unix.MoveMount(m.fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount %s: %w", m.path, err)
	}
	return nil
}

// makePoint makes an empty folder or file to mount on, if there is nothing yet.
func makePoint(at string, dir bool) error {
	if _, err := os.Lstat(at); err == nil {
		return nil
	}
	if dir {
		return os.MkdirAll(at, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.WriteFile(at, nil, 0o444)
}

// enter makes the new root the only one and closes it for writing.
func (r *rootBuilder) enter() error {
	if err := unix.Chdir(build); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: readData}); err != nil {
		return fmt.Errorf("close the new root: %w", err)
	}
	return nil
}
