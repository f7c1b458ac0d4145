package files

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"hardshell/tools"
	"hardshell/tools/args"
)

// Edit replaces one piece of a file.
type Edit struct{ cfg Config }

// NewEdit makes the edit tool.
func NewEdit(cfg Config) *Edit { return &Edit{cfg: cfg} }

var _ tools.Tool = (*Edit)(nil)

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

var editSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "edit",
		Description: "Replace text in a file",
		Guide:       "replace text in a file; old, copied from read, must be there exactly once",
		Schema:      args.SchemaOf[editArgs](),
	}
})

// Spec is how edit is offered.
func (*Edit) Spec() tools.Spec { return editSpec() }

// maxEdit is the largest file that is taken into memory to be changed.
const maxEdit = 16 << 20

// Prepare follows the path and holds the file.
func (t *Edit) Prepare(_ context.Context, _ tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a editArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	switch {
	case a.Old == "":
		return tools.Prepared{}, &args.Error{Field: "old", Message: `"old" is empty; copy the text to replace, or use write for a new file`}
	case a.Old == a.New:
		return tools.Prepared{}, &args.Error{Field: "new", Message: `"new" is the same as "old"; give the changed text`}
	}
	return t.cfg.writing("edit", a.Path, func(at *place) (tools.Output, error) { return change(at, a) })
}

// change replaces the one place where old stands.
func change(at *place, a editArgs) (tools.Output, error) {
	data, err := at.whole()
	if err != nil {
		return tools.Output{}, err
	}
	before, after := lineEnds(data, a.Old, a.New)
	if n := bytes.Count(data, []byte(before)); n != 1 {
		return tools.Output{}, notOnce(at.path, data, before, n)
	}
	i := bytes.Index(data, []byte(before))
	out := append(append(bytes.Clone(data[:i]), after...), data[i+len(before):]...)
	if err := at.replace(out); err != nil {
		return tools.Output{}, err
	}
	line := 1 + bytes.Count(data[:i], []byte("\n"))
	return tools.Output{Text: fmt.Sprintf("edited %s at line %d: %d bytes became %d", at.path, line, len(before), len(after))}, nil
}

// whole reads the text of a file that is to be changed.
func (p *place) whole() ([]byte, error) {
	if err := p.mustExist(); err != nil {
		return nil, err
	}
	if p.info.Size() > maxEdit {
		return nil, fmt.Errorf("%s has %d bytes and at most %d are changed in place; change it with a program", p.path, p.info.Size(), maxEdit)
	}
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s can't be read: %w; try again", p.path, reason(err))
	case len(data) > maxEdit:
		return nil, fmt.Errorf("%s grows while it is read; change it when it is at rest", p.path)
	case bytes.IndexByte(data, 0) >= 0:
		return nil, fmt.Errorf("%s is no text file; change it with a program that knows it", p.path)
	}
	return data, nil
}

// lineEnds gives old and new the line ends of the file. Read shows CRLF as plain
// newlines, so a model writes plain ones.
func lineEnds(data []byte, before, after string) (string, string) {
	if !bytes.Contains(data, []byte("\r\n")) || strings.Contains(before, "\r") {
		return before, after
	}
	crlf := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n") }
	if strings.Contains(before, "\n") || bytes.Count(data, []byte("\r\n")) == bytes.Count(data, []byte("\n")) {
		return crlf(before), crlf(after)
	}
	return before, after
}

// notOnce is the error for old text that is not there, or not alone.
func notOnce(path string, data []byte, before string, n int) error {
	if n > 1 {
		var at []string
		for from, left := 0, min(n, 5); left > 0; left-- {
			i := from + bytes.Index(data[from:], []byte(before))
			at = append(at, fmt.Sprint(1+bytes.Count(data[:i], []byte("\n"))))
			from = i + len(before)
		}
		return fmt.Errorf("the old text stands %d times in %s (lines %s); nothing was changed; take more of the text around the one you mean", n, path, strings.Join(at, ", "))
	}
	if line := loosely(string(data), before); line > 0 {
		return fmt.Errorf("the old text does not stand in %s like that, only with other blanks at line %d; nothing was changed; read that line and copy it exactly", path, line)
	}
	return fmt.Errorf("the old text does not stand in %s; nothing was changed; read the file and copy the text exactly", path)
}

// loosely finds the line where text stands when blanks don't count, or 0.
func loosely(data, want string) int {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	first, _, _ := strings.Cut(strings.TrimSpace(want), "\n")
	if first = fold(first); first == "" {
		return 0
	}
	n := 0
	for line := range strings.Lines(data) {
		if n++; strings.Contains(fold(line), first) {
			return n
		}
	}
	return 0
}
