package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"hardshell/policy"
)

// Edit replaces one piece of a file.
type Edit struct{ cfg FilesConfig }

// NewEdit makes the edit tool.
func NewEdit(cfg FilesConfig) *Edit { return &Edit{cfg: cfg} }

var _ Tool = (*Edit)(nil)

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

var editSpec = sync.OnceValue(func() Spec {
	return Spec{
		Name:        "edit",
		Description: "Replace text in a file",
		Guide:       "replace text in a file; old must stand there exactly once, copied from read",
		Schema:      schemaOf[editArgs](),
	}
})

// Spec is how edit is offered.
func (*Edit) Spec() Spec { return editSpec() }

// maxEdit is the largest file that edit takes into memory.
const maxEdit = 16 << 20

// Plan follows the path and holds the file.
func (t *Edit) Plan(_ context.Context, _ Origin, raw json.RawMessage) (Plan, error) {
	var a editArgs
	if err := decodeArgs(raw, &a); err != nil {
		return Plan{}, err
	}
	switch {
	case a.Old == "":
		return Plan{}, &ArgumentError{Field: "old", Message: `"old" is empty; copy the text to replace, or use write for a new file`}
	case a.Old == a.New:
		return Plan{}, &ArgumentError{Field: "new", Message: `"new" is the same as "old"; give the changed text`}
	}
	p := filePlan("edit", policy.Write, a.Path)
	at, err := t.cfg.Roots.locate(a.Path)
	if err != nil {
		return p.Plan, err
	}
	if err := at.replaceable(); err != nil {
		at.Close()
		return p.Plan, err
	}
	p.hold(at)
	p.Do = func(context.Context, Judged, func(string)) (Output, error) { return change(at, a) }
	return p.Plan, nil
}

// change replaces the one place where old stands.
func change(at *place, a editArgs) (Output, error) {
	if err := at.mustExist(); err != nil {
		return Output{}, err
	}
	if at.info.Size() > maxEdit {
		return Output{}, fmt.Errorf("%s has %d bytes and edit takes at most %d; change it with a program", at.path, at.info.Size(), maxEdit)
	}
	f, err := at.open()
	if err != nil {
		return Output{}, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	f.Close()
	if err != nil {
		return Output{}, fmt.Errorf("%s can't be read: %w; try again", at.path, reason(err))
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return Output{}, fmt.Errorf("%s is no text file; change it with a program that knows it", at.path)
	}
	before, after := lineEnds(data, a.Old, a.New)
	if n := bytes.Count(data, []byte(before)); n != 1 {
		return Output{}, notOnce(at.path, data, before, n)
	}
	i := bytes.Index(data, []byte(before))
	out := append(append(bytes.Clone(data[:i]), after...), data[i+len(before):]...)
	if err := at.replace(out); err != nil {
		return Output{}, err
	}
	line := 1 + bytes.Count(data[:i], []byte("\n"))
	return Output{Text: fmt.Sprintf("edited %s at line %d: %d bytes became %d", at.path, line, len(before), len(after))}, nil
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
