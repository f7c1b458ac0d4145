package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"unicode"

	"hardshell/policy"
	"hardshell/policy/wording"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/text"
)

// Write puts a whole file in place.
type Write struct{ cfg Config }

// NewWrite makes the write tool.
func NewWrite(cfg Config) *Write { return &Write{cfg: cfg} }

var _ tools.Tool = (*Write)(nil)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

var writeSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "write",
		Description: "Write a whole file",
		Guide:       "a whole file, folders are made; for a part use edit",
		Schema:      args.SchemaOf[writeArgs](),
	}
})

// Spec is how write is offered.
func (*Write) Spec() tools.Spec { return writeSpec() }

// Prepare follows the path to the folder that will hold the file.
func (t *Write) Prepare(_ context.Context, _ tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a writeArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	return t.cfg.writing("write", a.Path, func(at *place) (tools.Output, error) {
		how := "wrote"
		if !at.facts.Exists {
			how = "created"
		}
		if err := at.replace([]byte(a.Content)); err != nil {
			return tools.Output{}, err
		}
		return tools.Output{Text: fmt.Sprintf("%s %s, %d bytes, %d lines", how, at.path, len(a.Content), text.CountLines(a.Content))}, nil
	})
}

// writing plans what writes one file.
func (c Config) writing(tool, path string, do func(at *place) (tools.Output, error)) (tools.Prepared, error) {
	p := prepareFile(tool, policy.Write, path)
	at, err := c.Roots.target(path)
	if err != nil {
		return p.Prepared, err
	}
	p.hold(at)
	p.Do = func(context.Context, tools.Judged, func(string)) (tools.Output, error) { return do(at) }
	return p.Prepared, nil
}

// target follows a path to where a file may be put. The caller closes the place.
func (r *Roots) target(path string) (*place, error) {
	at, err := r.locate(path)
	if err != nil {
		return nil, err
	}
	if err := at.replaceable(); err != nil {
		at.Close()
		return nil, err
	}
	return at, nil
}

// replaceable refuses to write through a link at the last part, and over what is
// no ordinary file.
func (p *place) replaceable() error {
	switch {
	case p.link != "":
		return &tools.Refusal{
			Rule:   "files.no-link",
			Reason: fmt.Sprintf("%s is a link to %s, and nothing is written through a link", p.path, p.link),
			Hint:   "name the file that it leads to, if it lies in the workspace",
		}
	case p.base == ".":
		return &args.Error{Field: "path", Message: fmt.Sprintf("%q names a folder; name a file in it", p.path)}
	case !p.facts.Exists:
		return newName(p.path)
	case p.facts.Kind == "file":
		return nil
	case p.facts.Kind == "dir":
		return &args.Error{Field: "path", Message: fmt.Sprintf("%q is a folder; name a file in it", p.path)}
	}
	return &tools.Refusal{
		Rule:   "files.no-" + p.facts.Kind,
		Reason: fmt.Sprintf("%s is a %s, no file", p.path, p.facts.Kind), Hint: "write an ordinary file",
	}
}

// newName refuses names for new files that mislead whoever meets them later: one that
// a shell takes for a home folder, and one that a terminal acts on.
func newName(path string) error {
	switch {
	case path == "~" || strings.HasPrefix(path, "~/"):
		return &args.Error{Field: "path", Message: fmt.Sprintf("%q begins with ~, which is no home folder here; write a path of the workspace, such as %q", path, strings.TrimLeft(path, "~/"))}
	case text.Clean(path) != path || strings.ContainsFunc(path, unicode.IsControl):
		return &args.Error{Field: "path", Message: fmt.Sprintf("%s holds control characters; name the new file without them", wording.Word(path))}
	}
	return nil
}

// modeLike is what a new file gets: the mode of the one whose place it takes.
func modeLike(old fs.FileInfo) fs.FileMode {
	if old != nil {
		return old.Mode().Perm()
	}
	return 0o644
}
