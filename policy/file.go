package policy

import (
	"fmt"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// FileOp is what a file action does.
type FileOp string

// The file operations. List sees names, sizes and times, never contents; who may
// read may list. Remove takes a file away; who may write in a folder may, and no rule
// of a file names it.
const (
	Read   FileOp = "read"
	Write  FileOp = "write"
	List   FileOp = "list"
	Remove FileOp = "remove"
)

// accessOf is what each operation does with a path.
var accessOf = map[FileOp]argv.Access{Read: argv.Read, Write: argv.Write, List: argv.List, Remove: argv.Remove}

// File asks for a file. Path is as the model wrote it; where it leads is a fact.
type File struct {
	Op   FileOp `json:"op"`
	Path string `json:"path"`
}

// Files asks for several files, or for one in several ways; each is judged and the
// strictest verdict decides.
type Files []File

var (
	_ Kind = (*File)(nil)
	_ Kind = Files(nil)
)

// Name is file.
func (*File) Name() string { return "file" }

// Name is file, too.
func (Files) Name() string { return "file" }

// Subject is the operation and the path.
func (f *File) Subject() string { return string(f.Op) + " " + wording.Word(f.Path) }

// Subject names each file once, with all that happens to it.
func (fs Files) Subject() string {
	var out []string
	for i, f := range fs {
		if i > 0 && fs[i-1].Path == f.Path {
			out[len(out)-1] = string(fs[i-1].Op) + " and " + f.Subject()
			continue
		}
		out = append(out, f.Subject())
	}
	return strings.Join(out, ", ")
}

// Command is nil: it starts none.
func (*File) Command() *Exec { return nil }

// Command is nil: it starts none.
func (Files) Command() *Exec { return nil }

// Binds the arguments: the file is only a place.
func (*File) Binds() Binding { return BindArguments }

// Binds the arguments: the files are only places.
func (Files) Binds() Binding { return BindArguments }

// Standing is true: the operation and the path say all.
func (*File) Standing() bool { return true }

// Standing is false: what is done to several files hangs together.
func (Files) Standing() bool { return false }

func (f *File) fields() any {
	return struct {
		File *File `json:"file"`
	}{f}
}

func (fs Files) fields() any {
	return struct {
		Files Files `json:"files,omitempty"`
	}{fs}
}

func (f *File) judge(ev *evaluation) {
	a, ok := accessOf[f.Op]
	switch {
	case !ok:
		ev.deny("builtin.kind", fmt.Sprintf("there is no file operation %s", wording.Quote(string(f.Op))), "")
	case !argv.CouldBePath(f.Path):
		ev.deny("builtin.size", "that is no path: it is empty, too long or holds a NUL byte", "")
	default:
		ev.path(scope{cwds: []string{""}}, f.Path, a)
	}
}

func (fs Files) judge(ev *evaluation) {
	if len(fs) == 0 {
		ev.unknownKind(fs.Name())
	}
	for i := range fs {
		fs[i].judge(ev)
	}
}
