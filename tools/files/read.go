package files

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"hardshell/policy"
	"hardshell/policy/wording"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/secret"
	"hardshell/tools/text"
)

// Config is what the file tools are made of.
type Config struct {
	Roots    *Roots
	Limits   text.Limits
	Redactor *secret.Redactor
}

// Read shows lines of a text file.
type Read struct{ cfg Config }

// NewRead makes the read tool.
func NewRead(cfg Config) *Read { return &Read{cfg: cfg} }

var _ tools.Tool = (*Read)(nil)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

var readSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "read",
		Description: "Read a text file",
		Guide:       "a text file or a folder's list; offset is the first line (from 1), limit how many",
		Schema:      args.SchemaOf[readArgs](),
	}
})

// Spec is how read is offered.
func (*Read) Spec() tools.Spec { return readSpec() }

// Prepare follows the path and holds the file, so that what is read is what policy
// judged.
func (t *Read) Prepare(_ context.Context, _ tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a readArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	if a.Offset < 0 || a.Limit < 0 {
		return tools.Prepared{}, &args.Error{Field: "offset", Message: `"offset" and "limit" count lines and can't be below 0`}
	}
	p := prepareFile("read", policy.Read, a.Path)
	at, err := t.cfg.Roots.locate(a.Path)
	if err != nil {
		return p.Prepared, err
	}
	p.hold(at)
	p.Do = func(ctx context.Context, _ tools.Judged, _ func(string)) (tools.Output, error) {
		return t.show(ctx, at, a)
	}
	return p.Prepared, nil
}

// located is a prepared call on one file.
type located struct {
	tools.Prepared
	file *policy.File // what it asks for
}

func prepareFile(tool string, op policy.FileOp, path string) *located {
	file := &policy.File{Op: op, Path: path}
	return &located{tools.Prepared{Action: policy.Action{Tool: tool, Kind: file}}, file}
}

// hold ties the call to what the path leads to now. Policy, audit and a person who is
// asked see where a root's name leads.
func (p *located) hold(at *place) {
	if at.named {
		p.file.Path = at.abs
	}
	p.Facts.Paths = map[string]policy.Path{p.file.Path: at.facts}
	p.Close = at.Close
}

// show reads what is held.
func (t *Read) show(ctx context.Context, at *place, a readArgs) (tools.Output, error) {
	if err := at.mustExist(); err != nil {
		return tools.Output{}, err
	}
	switch at.facts.Kind {
	case "dir":
		return t.folder(at)
	case "file":
	default:
		return tools.Output{}, fmt.Errorf("%s is a %s, no file; read a file", at.path, at.facts.Kind)
	}
	f, err := at.open()
	if err != nil {
		return tools.Output{}, err
	}
	defer f.Close()
	first := make([]byte, text.Sniff)
	n, err := io.ReadFull(f, first)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return tools.Output{}, fmt.Errorf("%s can't be read: %w; try again or use another file", at.path, reason(err))
	}
	first = first[:n]
	if what := picture(first); what != "" {
		return tools.Output{}, fmt.Errorf("%s is a picture (%s, %d bytes) and read hands on text only, so that it can't be looked at; ask the person what it shows, or use a program that turns it into text", at.path, what, at.info.Size())
	}
	if text.Binary(first) {
		return tools.Output{Text: fmt.Sprintf("binary, %d bytes, starting %s\n[%s holds no text; use exec with a program that knows it]", at.info.Size(), text.Sample([]byte(t.cfg.Redactor.Redact(string(first)))), at.path)}, nil
	}
	skill := strings.EqualFold(at.base, skillFile)
	w := text.NewWindow(a.Offset, a.Limit, t.limits(a, skill, at.info.Size()), t.cfg.Redactor)
	whole := io.MultiReader(strings.NewReader(string(first)), f)
	if skill {
		w.Sum = sha256.New()
		whole = io.TeeReader(whole, w.Sum)
	}
	if err := w.Scan(ctx, whole); err != nil {
		return tools.Output{}, fmt.Errorf("%s can't be read to its end: %w; try again or use another file", at.path, reason(err))
	}
	text, cut := w.Text(at.path)
	return tools.Output{Text: t.cfg.Redactor.Redact(text), Cut: cut}, nil
}

// skillFile is the file whose hash is told with its text: the list of skills names no
// version, and this says which one was followed.
const skillFile = "SKILL.md"

// skillWhole is up to how many bytes a skill comes in one piece, whatever the limits
// of output are: half a set of instructions is worse than none.
const skillWhole = 32 << 10

// limits are those of output, and room for a skill that is read as a whole.
func (t *Read) limits(a readArgs, skill bool, size int64) text.Limits {
	l := t.cfg.Limits.OrDefault()
	if skill && size <= skillWhole && a.Offset == 0 && a.Limit == 0 {
		l.OutputBytes, l.OutputLines = max(l.OutputBytes, int(size)), max(l.OutputLines, int(size))
	}
	return l
}

// mustExist is the plain error for a file that is not there.
func (p *place) mustExist() error {
	if p.facts.Exists {
		return nil
	}
	if len(p.missing) > 0 {
		return fmt.Errorf("there is no %s: its folder %s does not exist; list the folders that do", p.path, p.missing[0])
	}
	near := ""
	if names, err := p.names(); err == nil {
		if n := wording.Nearest(p.base, names); n != "" {
			near = "; nearest: " + text.Clean(n)
		}
	}
	return fmt.Errorf("there is no file %s%s; list the folder to see what there is", p.path, near)
}

// open opens for reading exactly what is held.
func (p *place) open() (*os.File, error) {
	f, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", p.file.Fd()))
	if err != nil {
		return nil, fmt.Errorf("%s can't be opened: %w; use another file", p.path, reason(err))
	}
	return f, nil
}

// names lists the folder that holds the place.
func (p *place) names() ([]string, error) {
	d, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", p.dir.Fd()))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(1000)
}

// folder lists a folder, folders marked with a slash.
func (t *Read) folder(at *place) (tools.Output, error) {
	d, err := at.open()
	if err != nil {
		return tools.Output{}, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return tools.Output{}, fmt.Errorf("the folder %s can't be listed: %w; use another one", at.path, reason(err))
	}
	var names []string
	for _, e := range entries {
		name := quoteName(e.Name())
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	text, cut := text.Shorten(strings.Join(append(names, ""), "\n"), t.cfg.Limits)
	return tools.Output{Text: fmt.Sprintf("%s[folder %s, %d entries]", t.cfg.Redactor.Redact(text), at.path, len(names)), Cut: cut}, nil
}

// quoteName shows a file name on one line.
func quoteName(s string) string {
	if strings.ContainsAny(s, "\n\r\t") {
		return fmt.Sprintf("%q", s)
	}
	return text.Clean(s)
}

// picture names the kind of a picture by its first bytes.
func picture(p []byte) string {
	for kind, magic := range map[string]string{"PNG": "\x89PNG\r\n", "JPEG": "\xff\xd8\xff", "GIF": "GIF8", "TIFF": "II*\x00", "BMP": "BM\x00"} {
		if strings.HasPrefix(string(p), magic) {
			return kind
		}
	}
	if len(p) > 12 && string(p[:4]) == "RIFF" && string(p[8:12]) == "WEBP" {
		return "WebP"
	}
	return ""
}
