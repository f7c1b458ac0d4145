package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hardshell/tools/lookup"

	"golang.org/x/sys/unix"
)

// walk follows a path inside a root one part at a time, each opened relative to
// the one before and never through a link, so that no rename can lead it out.
type walk struct {
	roots *Roots
	place *place
	stack []*os.File // the root and every folder entered
	names []string   // their names, the root's left out
	links int
}

func (w *walk) close() {
	for _, f := range w.stack {
		if f != w.place.dir {
			f.Close()
		}
	}
}

func (w *walk) top() *os.File { return w.stack[len(w.stack)-1] }

// run follows rel to its end.
func (w *walk) run(rel string) error {
	rest := strings.Split(rel, "/")
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if err := w.up(); err != nil {
				return err
			}
			continue
		}
		more := slices.ContainsFunc(rest, func(s string) bool { return s != "" && s != "." })
		add, done, err := w.enter(part, rest, more)
		if err != nil || done {
			return err
		}
		rest = append(add, rest...)
	}
	// The path ends in a folder that was entered: the root itself, "a/..".
	return w.finish(w.top())
}

// up leaves a folder.
func (w *walk) up() error {
	if len(w.stack) == 1 {
		return w.roots.outside(w.place.path, ": \"..\" goes above "+w.place.root.Dir)
	}
	w.top().Close()
	w.stack = w.stack[:len(w.stack)-1]
	w.names = w.names[:len(w.names)-1]
	return nil
}

// enter takes one part: a folder is entered, a link gives the parts to go on with,
// anything else ends the walk.
func (w *walk) enter(part string, rest []string, more bool) (add []string, done bool, err error) {
	f, info, err := openPath(w.top(), part)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, true, w.absent(part, rest)
	case err != nil:
		return nil, false, fmt.Errorf("%s can't be opened: %w; use another file", w.place.path, reason(err))
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		add, err = w.follow(f, part, more)
		f.Close()
		return add, false, err
	case info.IsDir() && more:
		// Opened for reading, not only by path, so that it can be synced: through
		// what is held, so that nothing can take its name meanwhile.
		fd, err := unix.Openat(int(f.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		f.Close()
		if err != nil {
			return nil, false, fmt.Errorf("the folder %s can't be opened: %w; use another one", filepath.Join(append(w.names, part)...), reason(err))
		}
		w.stack = append(w.stack, os.NewFile(uintptr(fd), part))
		w.names = append(w.names, part)
		return nil, false, nil
	case more:
		f.Close()
		return nil, false, fmt.Errorf("%s is no folder, so there is no %s; look at the folder first", filepath.Join(append(w.names, part)...), w.place.path)
	}
	w.place.base, w.place.file, w.place.info = part, f, info
	return nil, true, w.finish(w.top())
}

// Follow gives the parts that a link stands for. One that leads out is refused by
// name.
func (w *walk) follow(f *os.File, part string, more bool) ([]string, error) {
	name := filepath.Join(append(slices.Clone(w.names), part)...)
	target, err := readlink(f)
	if err != nil {
		return nil, fmt.Errorf("the link %s can't be read: %w; use another file", name, reason(err))
	}
	if w.links++; w.links > lookup.MaxLinks {
		return nil, w.roots.outside(w.place.path, fmt.Sprintf(": more than %d links, the last is %s", lookup.MaxLinks, name))
	}
	if !more && w.place.link == "" {
		w.place.link = target
	}
	if !filepath.IsAbs(target) {
		if w.leaves(target) {
			return nil, w.roots.outside(w.place.path, fmt.Sprintf(": the link %s leads to %s", name, target))
		}
		return strings.Split(target, "/"), nil
	}
	for _, dir := range w.roots.names(w.place.root) {
		if in := strings.TrimPrefix(target, strings.TrimSuffix(dir, "/")+"/"); in != target || target == dir {
			for len(w.stack) > 1 {
				if err := w.up(); err != nil {
					return nil, err
				}
			}
			if target == dir {
				in = "."
			}
			return strings.Split(in, "/"), nil
		}
	}
	return nil, w.roots.outside(w.place.path, fmt.Sprintf(": the link %s leads to %s", name, target))
}

// leaves reports a relative target that goes above the root from here.
func (w *walk) leaves(target string) bool {
	depth := len(w.stack) - 1
	for _, p := range strings.Split(target, "/") {
		switch p {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// absent ends a walk at a part that does not exist. Folders may be missing too,
// but nothing can be said about ".." behind them.
func (w *walk) absent(part string, rest []string) error {
	parts := []string{part}
	for _, p := range rest {
		switch p {
		case "", ".":
		case "..":
			return fmt.Errorf("%s goes through %s, which does not exist; write the path without \"..\"", w.place.path, part)
		default:
			parts = append(parts, p)
		}
	}
	w.place.missing, w.place.base = parts[:len(parts)-1], parts[len(parts)-1]
	return w.finish(w.top())
}

// finish keeps the folder that the path ends in.
func (w *walk) finish(dir *os.File) error {
	w.place.dir = dir
	if w.place.base == "" {
		w.place.base = "."
		f, info, err := openPath(dir, ".")
		if err != nil {
			return fmt.Errorf("%s can't be opened: %w; use another file", w.place.path, reason(err))
		}
		w.place.file, w.place.info = f, info
	}
	return w.place.setFacts()
}

func readlink(f *os.File) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(f.Fd()), "", buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}
