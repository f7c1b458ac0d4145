// Package workspace reads the files of a workspace folder that the prompt
// carries. It owns which files those are on disk and that none of them leads out
// of the folder. It refuses to judge, cut or decode what it reads: that is
// assembly's, so that one package alone decides what a model is told.
package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"hardshell/assembly"
)

// maxFile is the most that is read of one file, in bytes: far above every prompt
// limit, and small enough that a device file or a log put in a file's place does
// no harm.
const maxFile = 4 << 20

// Folder is one workspace folder.
type Folder struct {
	dir    string
	closed func(abs string) bool // what is kept from being read, nil: nothing
}

// Except is the folder without the files that a test names by their absolute path,
// links followed: whatever a file of the prompt is called, what it leads to may be a
// secret.
func (f Folder) Except(closed func(abs string) bool) Folder {
	f.closed = closed
	return f
}

// Open checks that dir can serve as a workspace. The error says what to do.
func Open(dir string) (Folder, error) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Folder{}, &Error{Dir: dir, Cause: err, What: "does not exist", Do: "make it with agent init --workspace " + dir + ", or name another with --workspace"}
	case err != nil:
		return Folder{}, &Error{Dir: dir, Cause: err, What: "can't be looked at", Do: "check the permissions of its parent folders"}
	case !st.IsDir():
		return Folder{}, &Error{Dir: dir, What: "is no folder", Do: "name a folder with --workspace"}
	}
	d, err := os.Open(dir)
	if err == nil {
		_, err = d.Readdirnames(1)
		d.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return Folder{}, &Error{Dir: dir, Cause: err, What: "can't be read", Do: "give the agent's user read permission on it"}
	}
	return Folder{dir: dir}, nil
}

// Writable says what keeps this user from writing in a workspace that can be read;
// nil where nothing does.
func Writable(dir string) error {
	err := unix.Access(dir, unix.W_OK)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, unix.EROFS):
		return &Error{Dir: dir, What: "lies on a file system that is mounted read-only", Do: "mount it writable, or leave it so where nothing is to be written"}
	}
	return &Error{Dir: dir, Cause: err, What: "can't be written to by this user", Do: "give the agent's user write permission on it, or leave it so where nothing is to be written"}
}

// Error is a folder that can't serve as a workspace.
type Error struct {
	Dir, What, Do string
	Cause         error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("the workspace %s %s", e.Dir, e.What)
	if e.Cause != nil {
		s += fmt.Sprintf(" (%v)", e.Cause)
	}
	return s
}

// Hint says what to do.
func (e *Error) Hint() string { return e.Do }

// Unwrap gives the system's error.
func (e *Error) Unwrap() error { return e.Cause }

// Files reads every file of the prompt, in the order of assembly.WorkspaceFiles.
// A file is found whatever the case of its name; one that is missing or can't be
// read is marked as such. BOOTSTRAP.md and HEARTBEAT.md are left out where they
// are missing, since only some workspaces have them.
func (f Folder) Files() []assembly.File {
	names := f.names()
	var out []assembly.File
	for _, want := range assembly.WorkspaceFiles() {
		file := f.read(want, names[strings.ToLower(want)])
		if file.Missing && (want == "BOOTSTRAP.md" || want == assembly.HeartbeatFile) {
			continue
		}
		out = append(out, file)
	}
	return out
}

// names maps lower-case names to the names in the folder. Of several spellings
// of one name the exact upper-case one wins, else the first in byte order.
func (f Folder) names() map[string]string {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil
	}
	exact := map[string]bool{}
	for _, n := range assembly.WorkspaceFiles() {
		exact[n] = true
	}
	out := map[string]string{}
	for _, e := range entries {
		key := strings.ToLower(e.Name())
		if _, taken := out[key]; !taken || exact[e.Name()] {
			out[key] = e.Name()
		}
	}
	return out
}

// read reads one file beneath the folder; a link that leads out is a problem,
// not a way out.
func (f Folder) read(want, name string) assembly.File {
	file := assembly.File{Name: want}
	if name == "" {
		file.Missing = true
		return file
	}
	file.Name = name
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		file.Problem = err.Error()
		return file
	}
	defer root.Close()
	file.Data, err = f.readRegular(root, name)
	if err != nil {
		file.Data, file.Problem = nil, err.Error()
	}
	return file
}

// readRegular reads one regular file. It is opened without waiting, so that a
// pipe in a file's place can't hold up the agent, and judged by what was opened.
func (f Folder) readRegular(root *os.Root, name string) ([]byte, error) {
	r, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	st, err := r.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("it is no regular file (%s)", st.Mode().Type())
	}
	if f.closed != nil {
		abs, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", r.Fd()))
		switch abs = strings.TrimSuffix(abs, " (deleted)"); {
		case err != nil:
			return nil, fmt.Errorf("it can't be told which file it leads to: %w", err)
		case f.closed(abs):
			return nil, fmt.Errorf("it is %s, which policy keeps from being read", abs)
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes, which is the most that is read", maxFile)
	}
	return data, err
}

// Holds reports whether a path, relative to the folder, is a file in it. Links that
// lead out of the folder lead nowhere.
func (f Folder) Holds(path string) bool {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return false
	}
	defer root.Close()
	st, err := root.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
