package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// replace puts data in place of the file, whole or not at all: a new file in the
// same folder, synced, then renamed over the name. Names are never followed on the
// way: everything happens relative to the folder that is held.
func (p *place) replace(data []byte) error {
	if err := p.makeFolders(); err != nil {
		return err
	}
	dir := int(p.dir.Fd())
	temp := secondMark + rand.Text()
	if err := writeNew(dir, temp, data, p.info); err != nil {
		_ = unix.Unlinkat(dir, temp, 0) // what is left of a failed write
		return p.cannot(err)
	}
	if err := p.unchanged(dir); err != nil {
		_ = unix.Unlinkat(dir, temp, 0)
		return err
	}
	if err := p.rename(dir, temp); err != nil {
		_ = unix.Unlinkat(dir, temp, 0)
		return p.cannot(err)
	}
	if err := p.dir.Sync(); err != nil {
		return fmt.Errorf("%s was written, but its folder can't be synced: %w; check the disk", p.path, reason(err))
	}
	return nil
}

// rename gives the new file its name. A file that did not exist takes no other's
// place, where the file system can promise that.
func (p *place) rename(dir int, temp string) error {
	if p.info == nil {
		err := unix.Renameat2(dir, temp, dir, p.base, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return unix.Renameat(dir, temp, dir, p.base)
}

// makeFolders makes the folders that are missing on the way, one by one.
func (p *place) makeFolders() error {
	for len(p.missing) > 0 {
		name := p.missing[0]
		if err := unix.Mkdirat(int(p.dir.Fd()), name, 0o755); err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("the folder %s for %s can't be made: %w; use another folder", name, p.path, hint(err))
		}
		fd, err := unix.Openat(int(p.dir.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("the folder %s for %s can't be opened: %w; use another folder", name, p.path, hint(err))
		}
		p.dir.Close()
		p.dir, p.missing = os.NewFile(uintptr(fd), name), p.missing[1:]
	}
	return nil
}

// writeNew makes a new file with mode and owner of an old one, if there is one.
func writeNew(dir int, name string, data []byte, old fs.FileInfo) error {
	fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(modeLike(old)); err != nil {
		return err
	}
	if old != nil {
		if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
			if err := f.Chown(int(st.Uid), int(st.Gid)); err != nil {
				return err
			}
			if err := f.Chmod(modeLike(old)); err != nil { // chown may clear bits
				return err
			}
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// unchanged holds the name to what was judged: nothing may have taken its place.
func (p *place) unchanged(dir int) error {
	var now unix.Stat_t
	err := unix.Fstatat(dir, p.base, &now, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case p.info == nil && errors.Is(err, unix.ENOENT):
		return nil
	case p.info == nil && err == nil:
		return fmt.Errorf("%s appeared meanwhile and was left alone; look at it and decide again", p.path)
	case errors.Is(err, unix.ENOENT):
		return nil // deleted meanwhile: nothing is lost by writing it
	case err != nil:
		return p.cannot(err)
	}
	was, ok := p.info.Sys().(*syscall.Stat_t)
	if ok && (was.Ino != now.Ino || was.Dev != now.Dev || was.Size != now.Size || was.Mtim.Nano() != now.Mtim.Nano()) {
		return fmt.Errorf("%s was changed by someone else meanwhile and was left alone; read it again", p.path)
	}
	return nil
}

func (p *place) cannot(err error) error {
	return fmt.Errorf("%s can't be written: %w; the old file is as it was", p.path, hint(err))
}

// hint adds what to do to the errors that a person can act on.
func hint(err error) error {
	switch err = reason(err); {
	case errors.Is(err, unix.ENOSPC):
		return fmt.Errorf("%w (free space on the disk)", err)
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("%w (the folder is mounted read-only)", err)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return fmt.Errorf("%w (the folder belongs to another user)", err)
	}
	return err
}
