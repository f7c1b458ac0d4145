package files

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const journalVersion = 1

// journal is the way back from a commit that was cut off. It names files and holds
// none of their text.
type journal struct {
	Version int `json:"version"`
	// Done is set when every file is in place: then only second names are left to be
	// taken away.
	Done  bool    `json:"done,omitempty"`
	Files []entry `json:"files"`

	path string
}

// entry is one file of a commit.
type entry struct {
	Path string `json:"path"` // links followed
	// Temp is the new file's name beside it until it is in place, Keep the old one's
	// second name.
	Temp string `json:"temp"`
	Keep string `json:"keep"`
	// Old and New are the sha-256 of the contents, empty for no file.
	Old  string   `json:"old,omitempty"`
	New  string   `json:"new,omitempty"`
	Made []string `json:"made,omitempty"` // folders that are made for it
}

// Begin puts the journal on disk, before anything is touched.
func (j *journal) begin(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	j.path = filepath.Join(dir, rand.Text()+".json")
	return j.save()
}

// save writes the journal, whole or not at all.
func (j *journal) save() error {
	b, err := json.Marshal(j)
	if err != nil { // plain texts
		panic("tools: internal error: " + err.Error())
	}
	f, err := os.OpenFile(j.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(j.path+".new", j.path)
	}
	if err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// beside reports that every second name lies beside its file, as it was begun.
func (j *journal) beside() bool {
	return !slices.ContainsFunc(j.Files, func(e entry) bool {
		return !secondName(e.Temp) || !secondName(e.Keep) || !filepath.IsAbs(e.Path) || filepath.Clean(e.Path) != e.Path
	})
}

// secondMark begins the second names of files while they are written.
const secondMark = ".hardshell-"

func secondName(name string) bool {
	return strings.HasPrefix(name, secondMark) && !strings.Contains(name, "/")
}

// end takes the journal away. One that stays is read again at the next start, and
// says the same.
func (j *journal) end() { _ = os.Remove(j.path) }

// clean takes the second names away, where the folders are held.
func (j *journal) clean(held func(i int) *place) {
	for i, e := range j.Files {
		_ = unix.Unlinkat(int(held(i).dir.Fd()), e.Keep, 0) // missing for a new file
	}
	j.end()
}

// undo brings one file back to what it held. The word is why it is left as it is,
// when somebody else changed it since; an error, that it can't be told or done now.
func (e entry) undo(dir *os.File) (left string, err error) {
	at, base := int(dir.Fd()), filepath.Base(e.Path)
	now, err1 := sumOf(at, base)
	temp, err2 := sumOf(at, e.Temp)
	keep, err3 := sumOf(at, e.Keep)
	if err := errors.Join(err1, err2, err3); err != nil {
		return "", fmt.Errorf("%s can't be looked at: %w", e.Path, err)
	}
	switch {
	case e.Old == "" && (temp != "" || now == ""): // not made yet
	case e.Old == "" && now == e.New:
		err = unix.Unlinkat(at, base, 0)
	case e.Old == "":
		left = "was changed by someone else since and is left as it is"
	case now == e.Old || temp != "": // not touched yet
		_ = unix.Unlinkat(at, e.Keep, 0)
	case keep == e.Old && (now == "" || now == e.New):
		err = unix.Renameat(at, e.Keep, at, base)
	case keep == e.Old:
		left = fmt.Sprintf("was changed by someone else since and is left as it is; what it held before the patch is in %s beside it", e.Keep)
	default:
		left = "was changed by someone else since and is left as it is; what it held before the patch is gone"
	}
	if err != nil {
		return "", fmt.Errorf("%s can't be put back: %w", e.Path, hint(err))
	}
	_ = unix.Unlinkat(at, e.Temp, 0) // there until the new file was in place
	if err := dir.Sync(); err != nil {
		return "", fmt.Errorf("the folder of %s can't be synced: %w", e.Path, reason(err))
	}
	return left, nil
}

// sumOf is the sha-256 of a file in a folder, empty when there is none, "no file"
// for anything else.
func sumOf(dir int, name string) (string, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return "", nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENXIO):
		return "no file", nil
	case err != nil:
		return "", err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "no file", err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	return sum(data), err
}

// unmake takes away the folders that were made, where they are empty.
func (j *journal) unmake(roots *Roots) {
	for _, e := range slices.Backward(j.Files) {
		for _, made := range slices.Backward(e.Made) {
			if d, err := roots.folder(filepath.Dir(made)); err == nil {
				_ = unix.Unlinkat(int(d.Fd()), filepath.Base(made), unix.AT_REMOVEDIR) // refused unless empty
				d.Close()
			}
		}
	}
}

// folder opens a folder by the path that it really has.
func (r *Roots) folder(path string) (*os.File, error) {
	at, err := r.locate(path)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if !at.facts.Exists {
		return nil, fmt.Errorf("the folder %s: %w", path, fs.ErrNotExist)
	}
	if at.facts.Kind != "dir" || at.facts.Real != path {
		return nil, fmt.Errorf("the folder %s is not where it was; look for it", path)
	}
	fd, err := unix.Openat(int(at.file.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("the folder %s can't be opened: %w; look at its owner", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// RecoverPatches takes back what a crash cut off, before anything else is done, and
// says of each patch what became of its files. The folder is the journal's.
func RecoverPatches(dir string, roots *Roots) ([]string, error) {
	found, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the journal of patches can't be read: %w; look at its owner and mode", err)
	}
	var told []string
	for _, f := range found {
		path := filepath.Join(dir, f.Name())
		if strings.HasSuffix(path, ".new") { // never begun
			_ = os.Remove(path)
			continue
		}
		told = append(told, recoverPatch(path, roots)...)
	}
	return told, nil
}

// recoverPatch takes one patch back.
func recoverPatch(path string, roots *Roots) []string {
	b, err := os.ReadFile(path)
	j := journal{path: path}
	if err == nil {
		err = json.Unmarshal(b, &j)
	}
	if err != nil || j.Version != journalVersion || !j.beside() {
		return []string{fmt.Sprintf("the journal of a patch that was cut off can't be read (%s): some of its files may be new and some old, with their second names .hardshell-… beside them; look, then delete that journal", path)}
	}
	var told, names []string
	broken := false
	for _, e := range slices.Backward(j.Files) {
		names = append(names, e.Path)
		d, err := roots.folder(filepath.Dir(e.Path))
		if errors.Is(err, fs.ErrNotExist) && len(e.Made) > 0 { // not made yet, or gone as a whole
			continue
		}
		left := ""
		if err == nil && j.Done {
			_ = unix.Unlinkat(int(d.Fd()), e.Keep, 0)
		} else if err == nil {
			left, err = e.undo(d)
		}
		if err != nil {
			broken = true
			told = append(told, fmt.Sprintf("a patch was cut off and can't be taken back: %s: %v; make that folder reachable and start again", e.Path, err))
		} else if left != "" {
			told = append(told, fmt.Sprintf("a patch was cut off: %s %s", e.Path, left))
		}
		if d != nil {
			d.Close()
		}
	}
	if broken {
		return told
	}
	if !j.Done {
		j.unmake(roots)
		slices.Reverse(names)
		told = append(told, fmt.Sprintf("a patch was cut off and taken back: %s as before it, unless said otherwise", strings.Join(names, ", ")))
	}
	j.end()
	return told
}
