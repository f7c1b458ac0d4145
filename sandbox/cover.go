package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// changed is the error of a world that is another one than the command was judged in:
// nothing is missing, and nothing ran.
type changed struct{ what string }

func (e *changed) Error() string { return e.what + "; run it again" }

// pin makes folders mount points, which nobody can rename or remove. A command that
// moves a folder would move the cover in it as well, and leave the place open for
// another file, or make a name of which no rule speaks.
func (r *rootBuilder) pin() error {
	slices.Sort(r.job.Pinned) // outer ones first: they would cover the others
	for _, p := range slices.Compact(r.job.Pinned) {
		info, err := os.Lstat(build + p)
		if err != nil || !info.IsDir() {
			continue
		}
		if err := unix.Mount(build+p, build+p, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("pin %s: %w", p, err)
		}
	}
	return nil
}

// lock closes parts of the workspace for writing. What moved since it was judged would
// stay open, so nothing runs.
func (r *rootBuilder) lock() error {
	for _, p := range r.job.Locked {
		if info, err := os.Lstat(build + p); err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return &changed{p + ", which commands must not change, was moved or removed meanwhile"}
		}
		if err := unix.Mount(build+p, build+p, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("lock %s: %w", p, err)
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, build+p, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("lock %s: %w", p, err)
		}
	}
	return nil
}

// hide covers what must not be seen: a folder by an empty one that can't be
// entered, a file by /dev/null. A secret of the workspace was there a moment ago; what
// moved since then would be seen, so nothing runs.
func (r *rootBuilder) hide() error {
	for i, p := range slices.Concat(r.job.Secret, r.job.Hidden) {
		info, err := os.Lstat(build + p)
		switch {
		case i < len(r.job.Secret) && (err != nil || info.Mode()&fs.ModeSymlink != 0):
			return &changed{p + ", which must be hidden from commands, was moved or removed meanwhile"}
		case err != nil || info.Mode()&fs.ModeSymlink != 0:
			continue // it is not in the new root at all, or only another name
		case info.IsDir():
			err = unix.Mount("tmpfs", build+p, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=4k,mode=000")
		default:
			err = unix.Mount("/dev/null", build+p, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("hide %s: %w", p, err)
		}
	}
	return nil
}
