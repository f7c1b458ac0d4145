package files

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/lookup"
)

// Root is a folder that the file tools work in. Which of them may be written is
// policy's word.
type Root struct {
	// Name and a colon before a path mean this root: docs:prompt.md.
	Name string
	Dir  string // absolute
}

// Roots are the folders that the file tools can reach; no path and no link leads
// out of them. The first is the one that relative paths start in.
type Roots struct {
	list []Root
	open beneath
}

// NewRoots takes the folders, the workspace first. A folder that is named by a
// link is followed here, once: whoever sets the roots is trusted.
func NewRoots(workspace string, more ...Root) (*Roots, error) {
	r := &Roots{open: openat2}
	for _, one := range append([]Root{{Name: "workspace", Dir: workspace}}, more...) {
		if !filepath.IsAbs(one.Dir) {
			return nil, fmt.Errorf("root %s is %q; it must be an absolute path", one.Name, one.Dir)
		}
		r.list = append(r.list, Root{Name: one.Name, Dir: filepath.Clean(one.Dir)})
	}
	return r, nil
}

// Workspace is the folder that relative paths start in.
func (r *Roots) Workspace() string { return r.list[0].Dir }

// pick finds the root of a path and the path within it. A path begins with a root's
// name and a colon, or is relative to the workspace, or is absolute and uses the
// root's folder as it was given or the folder that it leads to.
func (r *Roots) pick(path string) (Root, string, error) {
	switch {
	case path == "":
		return Root{}, "", &args.Error{Field: "path", Message: `"path" is empty; name a file, relative to the workspace`}
	case strings.ContainsRune(path, 0):
		return Root{}, "", &args.Error{Field: "path", Message: `"path" holds a zero byte; name a file`}
	case len(path) > 4096:
		return Root{}, "", &args.Error{Field: "path", Message: `"path" is longer than 4,096 bytes; name a file`}
	}
	if root, rel, ok := r.named(path); ok {
		return root, rel, nil
	}
	if !filepath.IsAbs(path) {
		return r.list[0], path, nil
	}
	best, rel, length := -1, "", -1
	for i, one := range r.list {
		for _, dir := range r.names(one) {
			if dir == path || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") {
				if len(dir) > length {
					best, rel, length = i, strings.TrimLeft(path[len(dir):], "/"), len(dir)
				}
			}
		}
	}
	if best < 0 {
		return Root{}, "", r.outside(path, "")
	}
	if rel == "" {
		rel = "."
	}
	return r.list[best], rel, nil
}

// named reads a path that begins with the name of a root and a colon. The name wins
// over whatever in the workspace is called so: "./docs:x" is the way to that. What
// follows the colon never leaves the root, so a slash there adds nothing.
func (r *Roots) named(path string) (Root, string, bool) {
	name, rel, colon := strings.Cut(path, ":")
	i := slices.IndexFunc(r.list, func(one Root) bool { return one.Name == name })
	if !colon || i < 0 {
		return Root{}, "", false
	}
	return r.list[i], cmp.Or(strings.TrimLeft(rel, "/"), "."), true
}

// names are the ways to write a root: as configured, and as it really is.
func (*Roots) names(one Root) []string {
	if real, err := lookup.Follow(one.Dir); err == nil && real != one.Dir {
		return []string{one.Dir, real}
	}
	return []string{one.Dir}
}

// outside is the refusal of a path that leads out of every root.
func (r *Roots) outside(path, how string) error {
	hint := "use a path in " + r.Workspace()
	for i, one := range r.list[1:] {
		if i == 0 {
			hint += ", or one that begins with "
		} else {
			hint += " or "
		}
		hint += one.Name + ":"
	}
	if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/etc/") {
		hint += "; for files of the system use exec: cat " + path
	}
	return &tools.Refusal{
		Rule:   "files.beneath-roots",
		Reason: fmt.Sprintf("%s leads out of the folders that file tools may use%s", path, how),
		Hint:   hint,
	}
}

// WorkspaceNames are the ways to write the workspace.
func (r *Roots) WorkspaceNames() []string { return r.names(r.list[0]) }

// WorkingFolder is the folder that a command starts in: absolute, inside a root, all
// links followed. Empty stands for the workspace.
func (r *Roots) WorkingFolder(cwd string) (string, error) {
	if cwd == "" {
		cwd = "."
	}
	p, err := r.locate(cwd)
	if err != nil {
		return "", err
	}
	defer p.Close()
	switch {
	case !p.facts.Exists:
		return "", fmt.Errorf("the working folder %s does not exist; make it first or leave cwd out", p.facts.Abs)
	case p.facts.Kind != "dir":
		return "", fmt.Errorf("the working folder %s is no folder; name one or leave cwd out", p.facts.Abs)
	}
	return p.facts.Real, nil
}

// Relative shows a folder as the model writes it: relative to the workspace when
// it lies in it.
func (r *Roots) Relative(dir string) string {
	for _, top := range r.names(r.list[0]) {
		if rel, err := filepath.Rel(top, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			if rel == "." {
				return dir
			}
			return rel
		}
	}
	return dir
}
