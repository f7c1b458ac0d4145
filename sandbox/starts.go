package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Start is one program start in the tree of a command, as it was asked for. It is
// what the process says before the kernel reads it again: a thread of the command
// may change the words in between, so whoever judges it judges intent, and the
// fence around the command is another.
type Start struct {
	// Program is the file behind all links, as the command sees it.
	Program string
	Argv    []string
	// Cut is true when Argv lacks words, or parts of words.
	Cut bool
	// Dir is the folder of the process.
	Dir string
	// Loose is true when the name leads through a link, or a step upwards, in a place
	// that the command can write: at the next look it can lead elsewhere.
	Loose bool
}

// Started is what came of starts of one program.
type Started struct {
	Start // the first of them
	Times int
	// Refused says why none was let through; empty when they were.
	Refused string
}

// String says it for the record.
func (s Started) String() string {
	name := s.Program
	switch {
	case s.Refused != "":
		return fmt.Sprintf("refused: %s (%s)", strings.Join(append([]string{name}, s.Argv[min(1, len(s.Argv)):]...), " "), s.Refused)
	case name == "":
		name = "other programs"
	}
	if s.Times > 1 {
		name += fmt.Sprintf(" %d times", s.Times)
	}
	return name
}

// mostStarted bounds the list of what a command started. Further programs are
// counted in a last entry that names none.
const mostStarted = 200

// startList keeps starts, one entry for each program and verdict.
type startList []Started

// add puts one start on record.
func (l *startList) add(s Start, refused string) {
	for i := range *l {
		one := &(*l)[i]
		if one.Program == s.Program && (one.Refused == "") == (refused == "") || one.Program == "" {
			one.Times++
			return
		}
	}
	if len(*l) == mostStarted {
		s, refused = Start{}, "" // the rest
	}
	*l = append(*l, Started{Start: s, Times: 1, Refused: refused})
}

// Bounds of what is read of a start. The kernel takes more; then Cut is set.
const (
	maxPath      = 4096
	maxWords     = 1024
	maxWordBytes = 64 << 10
)

// target is a process that waits for leave to start a program.
type target struct {
	pid      int
	writable []string // trees that it can write, as it sees them
}

// path is a file of the target below /proc.
func (t target) path(name string) string { return fmt.Sprintf("/proc/%d/%s", t.pid, name) }

// start reads what the target wants to start. The error of a file that is not there
// is an errno, for the target to be told.
func (t target) start(n *notification) (Start, error) {
	var s Start
	at, path, argv, flags := unix.AT_FDCWD, n.args[0], n.args[1], uint64(0)
	if n.nr == unix.SYS_EXECVEAT {
		at, path, argv, flags = int(int32(n.args[0])), n.args[1], n.args[2], n.args[4]
	}
	name, cut, err := t.text(path, maxPath)
	if err != nil || cut {
		return s, unix.EFAULT
	}
	if s.Argv, s.Cut, err = t.words(argv); err != nil {
		return s, unix.EFAULT
	}
	if s.Dir, err = os.Readlink(t.path("cwd")); err != nil {
		return s, unix.EACCES
	}
	s.Program, s.Loose, err = t.program(at, name, flags, s.Dir)
	return s, err
}

// program follows a name as the target would and gives the file behind it.
func (t target) program(at int, name string, flags uint64, dir string) (file string, loose bool, err error) {
	switch {
	case name == "" && flags&unix.AT_EMPTY_PATH != 0:
		file, err = t.link("fd/" + strconv.Itoa(at))
		return file, false, err
	case name == "":
		return "", false, unix.ENOENT
	case name == "/proc/self/exe":
		file, err = t.link("exe")
		return file, false, err
	case filepath.IsAbs(name):
	case at == unix.AT_FDCWD:
		name = dir + "/" + name
	default:
		base, err := t.link("fd/" + strconv.Itoa(at))
		if err != nil {
			return "", false, err
		}
		name = base + "/" + name
	}
	root, err := unix.Open(t.path("root"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", false, unix.EACCES
	}
	defer unix.Close(root)
	if file, err = followed(root, name); err != nil {
		return "", false, err
	}
	return file, t.loose(root, name, file), nil
}

// loose reports a name that leads to the file through a place where the target could
// turn it elsewhere.
func (t target) loose(root int, name, file string) bool {
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(p string) bool { return p == "" || p == "." })
	if "/"+strings.Join(parts, "/") == file {
		return false
	}
	for i := range parts {
		at, err := followed(root, "/"+strings.Join(parts[:i], "/"))
		if err != nil || slices.ContainsFunc(t.writable, func(w string) bool { return at == w || strings.HasPrefix(at, w+"/") }) {
			return true
		}
	}
	return false
}

// followed is where a path below a root leads, all links followed. What a link in /proc
// leads to can only be told from inside.
func followed(root int, name string) (string, error) {
	fd, err := unix.Openat2(root, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
}

// link is what a descriptor of the target is open on.
func (t target) link(name string) (string, error) {
	real, err := os.Readlink(t.path(name))
	if err != nil || !filepath.IsAbs(real) {
		return "", unix.EACCES
	}
	return real, nil
}

// words reads a list of words.
func (t target) words(at uint64) (words []string, cut bool, err error) {
	left := maxWordBytes
	for ; at != 0 && len(words) < maxWords && left > 0; at += 8 {
		var b [8]byte
		if n, err := t.read(b[:], at); n < len(b) {
			return nil, false, err
		}
		var p uint64
		for i := range b { // both architectures are little endian
			p |= uint64(b[i]) << (8 * i)
		}
		if p == 0 {
			return words, cut, nil
		}
		w, short, err := t.text(p, left)
		if err != nil {
			return nil, false, err
		}
		words, cut, left = append(words, w), cut || short, left-len(w)-1
	}
	return words, at != 0, nil
}

// text reads a text that a zero byte ends, the most bytes of it.
func (t target) text(at uint64, most int) (text string, cut bool, err error) {
	var out []byte
	buf := make([]byte, 256)
	page := uint64(os.Getpagesize())
	for len(out) < most {
		// Never over the end of a page: the next one may not be there.
		part := buf[:min(uint64(len(buf)), page-at%page)]
		n, err := t.read(part, at)
		if n == 0 {
			return "", false, err
		}
		if i := slices.Index(part[:n], 0); i >= 0 {
			return string(append(out, part[:i]...)), false, nil
		}
		out, at = append(out, part[:n]...), at+uint64(n)
	}
	return strings.ToValidUTF8(string(out[:most]), "\ufffd"), true, nil
}

// read reads memory of the target.
func (t target) read(b []byte, at uint64) (int, error) {
	n, err := unix.ProcessVMReadv(t.pid, []unix.Iovec{iovec(b)}, []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}, 0)
	if err != nil {
		return 0, err
	}
	return n, nil
}

func iovec(b []byte) unix.Iovec {
	v := unix.Iovec{Base: &b[0]}
	v.SetLen(len(b))
	return v
}
