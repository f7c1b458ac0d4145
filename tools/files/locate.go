package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hardshell/policy"
	"hardshell/tools/lookup"
)

// beneath opens a path below a folder and never leaves it. Tests replace it to
// stand for a kernel without openat2.
type beneath func(dir int, path string, flags uint64) (int, error)

// openat2 asks the kernel (5.6 and later).
func openat2(dir int, path string, flags uint64) (int, error) {
	for range 8 { // EAGAIN: something was renamed meanwhile
		fd, err := unix.Openat2(dir, path, &unix.OpenHow{
			Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
		})
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
	return -1, unix.EAGAIN
}

// place is a path that was followed to its end inside a root and is held there by
// descriptors: whatever happens to the names afterwards, the act touches what was
// judged.
type place struct {
	root Root
	path string // as the model wrote it
	abs  string // the same from the top, links not followed
	// named says that the path began with the name of a root.
	named bool
	dir   *os.File // the folder that holds the last part, or the deepest existing one
	// missing are folders between dir and base that don't exist yet.
	missing []string
	base    string   // the last part; "." for the root itself
	file    *os.File // what the path leads to (O_PATH), nil when it does not exist
	info    fs.FileInfo
	link    string // the last part is a link, this is its target
	facts   policy.Path
}

func (p *place) Close() {
	if p.dir != nil {
		p.dir.Close()
	}
	if p.file != nil {
		p.file.Close()
	}
}

// locate follows a path inside its root. The caller closes the place.
func (r *Roots) locate(path string) (*place, error) {
	root, rel, err := r.pick(path)
	if err != nil {
		return nil, err
	}
	top, err := lookup.OpenDir(root.Dir)
	if err != nil {
		return nil, fmt.Errorf("the folder %s (%s) can't be opened: %w; ask the operator", root.Dir, root.Name, reason(err))
	}
	_, _, named := r.named(path)
	p := &place{root: root, path: path, abs: filepath.Join(root.Dir, rel), named: named}
	if err := r.settle(p, top, rel); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// settle fills in where rel leads. The kernel's own bounded open serves plain
// paths; the walk serves links, missing parts and old kernels, and names what
// leads out. It takes over top.
func (r *Roots) settle(p *place, top *os.File, rel string) error {
	dir, base := filepath.Split(rel)
	if base != "" && base != "." && base != ".." {
		if d, err := r.parent(top, dir); err == nil {
			p.dir, p.base = d, base
			done, err := p.leaf()
			if done || err != nil {
				top.Close()
				return err
			}
			d.Close()
			p.dir, p.base = nil, ""
		}
	}
	w := &walk{roots: r, place: p, stack: []*os.File{top}}
	defer w.close()
	return w.run(rel)
}

// parent opens the folder of a plain path.
func (r *Roots) parent(top *os.File, dir string) (*os.File, error) {
	if dir = strings.TrimRight(dir, "/"); dir == "" {
		dir = "."
	}
	fd, err := r.open(int(top.Fd()), dir, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// leaf looks at base in dir. It is not done when base is a link: the walk follows.
func (p *place) leaf() (done bool, err error) {
	f, info, err := openPath(p.dir, p.base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, p.setFacts()
	case err != nil:
		return true, fmt.Errorf("%s can't be opened: %w; use another file", p.path, reason(err))
	case info.Mode()&fs.ModeSymlink != 0:
		f.Close()
		return false, nil
	}
	p.file, p.info = f, info
	return true, p.setFacts()
}

// setFacts reads from the held descriptors what policy has to know.
func (p *place) setFacts() error {
	p.facts.Abs = p.abs
	p.facts.Link = p.link != ""
	if p.file != nil {
		p.facts.Exists, p.facts.Kind = true, lookup.KindOf(p.info.Mode())
		real, err := nameOf(p.file)
		p.facts.Real = real
		return err
	}
	dir, err := nameOf(p.dir)
	p.facts.Real = filepath.Join(append(append([]string{dir}, p.missing...), p.base)...)
	return err
}

// nameOf asks the kernel where an open file lies now.
func nameOf(f *os.File) (string, error) {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return "", fmt.Errorf("the place of an open file can't be read from /proc: %w; mount /proc", reason(err))
	}
	if strings.HasSuffix(name, " (deleted)") {
		return "", fmt.Errorf("the folder %s was deleted meanwhile; look again", strings.TrimSuffix(name, " (deleted)"))
	}
	return name, nil
}

// openPath takes hold of one entry of a folder without opening what it is and
// without following it.
func openPath(dir *os.File, name string) (*os.File, fs.FileInfo, error) {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// reason takes the path out of an error: the sentence around it names it already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
