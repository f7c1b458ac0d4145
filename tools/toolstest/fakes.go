package toolstest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools"
	"hardshell/tools/secret"
)

// Noon is the time of every test.
var Noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Policy allows unless told otherwise, and keeps what it was asked.
type Policy struct {
	Judge    func(policy.Action, policy.Facts) policy.Decision
	Subjects policy.Subjects
	Hide     map[string]bool

	mu    sync.Mutex
	Facts []policy.Facts
}

func (p *Policy) Decide(a policy.Action, f policy.Facts) policy.Decision {
	p.mu.Lock()
	p.Facts = append(p.Facts, f)
	p.mu.Unlock()
	if p.Judge == nil {
		return policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Reason: "allowed in tests"}
	}
	return p.Judge(a, f)
}

// Try decides when every subject that it asks for is known.
func (p *Policy) Try(a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects) {
	return Tried(p, p.missing(a), a, f)
}

// Tried decides when every one of these facts is there.
func Tried(p tools.Policy, s policy.Subjects, a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects) {
	s.Programs = slices.DeleteFunc(slices.Clone(s.Programs), func(w string) bool { _, ok := f.Programs[w]; return ok })
	s.Paths = slices.DeleteFunc(slices.Clone(s.Paths), func(w string) bool { _, ok := f.Paths[w]; return ok })
	s.Globs = slices.DeleteFunc(slices.Clone(s.Globs), func(w string) bool { _, ok := f.Globs[w]; return ok })
	if !s.Empty() {
		return policy.Decision{}, s
	}
	return p.Decide(a, f), s
}

func (p *Policy) missing(a policy.Action) policy.Subjects {
	s := p.Subjects
	if a.Command() != nil && len(a.Command().Argv) > 0 {
		s.Programs = append(s.Programs, a.Command().Argv[0])
	}
	if f, ok := a.Kind.(*policy.File); ok {
		s.Paths = append(s.Paths, f.Path)
	}
	return s
}

func (p *Policy) Offers(tool string) bool { return !p.Hide[tool] }

// Always gives one verdict.
func Always(v policy.Verdict) *Policy {
	return &Policy{Judge: func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: v, Rule: "test." + v.String(), Reason: "the test says " + v.String(), Hint: "do something else"}
	}}
}

// Auditor keeps records in order; fail makes the n-th (from 1) an error.
type Auditor struct {
	Mu      sync.Mutex
	Records []audit.Line
	Fail    map[int]error
	seen    int
	OnEach  func(audit.Line)
}

func (a *Auditor) Record(_ context.Context, r audit.Line) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	a.seen++
	if err := a.Fail[a.seen]; err != nil {
		return err
	}
	a.Records = append(a.Records, r)
	if a.OnEach != nil {
		a.OnEach(r)
	}
	return nil
}

// Approver answers every question the same way.
type Approver struct {
	Answer tools.Answer
	Err    error
	Wait   bool // until the context ends
	Asked  []tools.Question
	// meanwhile happens between question and answer.
	Meanwhile func()
}

func (a *Approver) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	a.Asked = append(a.Asked, q)
	if a.Meanwhile != nil {
		a.Meanwhile()
	}
	if a.Wait {
		<-ctx.Done()
		return tools.AnswerDeny, nil
	}
	return a.Answer, a.Err
}

// Launcher writes what it is told and keeps the commands.
type Launcher struct {
	Writes []string
	During func() // what happens while it runs; may be nil
	Exit   tools.Exit
	Err    error
	mu     sync.Mutex
	Ran    []tools.Command
}

func (l *Launcher) Run(_ context.Context, c tools.Command) (tools.Exit, error) {
	for _, w := range l.Writes {
		c.Output([]byte(w))
	}
	if l.During != nil {
		l.During()
	}
	c.Output, c.Start = nil, nil
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Ran = append(l.Ran, c)
	return l.Exit, l.Err
}

// Tool does what a test wants.
type Tool struct {
	Name     string
	Schema   string
	Prepared func(json.RawMessage) (tools.Prepared, error)
}

func (t *Tool) Spec() tools.Spec {
	schema := t.Schema
	if schema == "" {
		schema = `{"type":"object","properties":{"pin":{"type":"string"},"ms":{"type":"integer"},"invert":{"type":"boolean"}},"required":["pin"]}`
	}
	return tools.Spec{Name: t.Name, Schema: json.RawMessage(schema)}
}

func (t *Tool) Prepare(_ context.Context, _ tools.Origin, args json.RawMessage) (tools.Prepared, error) {
	if t.Prepared != nil {
		return t.Prepared(args)
	}
	return tools.Prepared{
		Action: policy.Action{Tool: t.Name, Kind: policy.Look{}},
		Do: func(context.Context, tools.Judged, func(string)) (tools.Output, error) {
			return tools.Output{Text: "did " + string(args)}, nil
		},
	}, nil
}

// Door is a registry over fakes and a workspace of its own.
type Door struct {
	*tools.Registry
	Config   tools.Config
	Dir      string
	Policy   *Policy
	Auditor  *Auditor
	Approver *Approver
	Launcher *Launcher
}

// Person is a chat turn with somebody at the terminal.
var Person = tools.Origin{Agent: "main", Session: "main", Turn: "t1", Run: "chat", Attended: true}

// NewDoor is a door without tools, whose one secret is s3cr3t-zz.
func NewDoor(t *testing.T) *Door {
	t.Helper()
	d := &Door{Dir: t.TempDir(), Policy: &Policy{}, Auditor: &Auditor{}, Approver: &Approver{}, Launcher: &Launcher{}}
	var err error
	if d.Dir, err = filepath.EvalSymlinks(d.Dir); err != nil {
		t.Fatal(err)
	}
	d.Config = tools.Config{
		Policy: func() tools.Policy { return d.Policy }, Approver: d.Approver, Auditor: d.Auditor,
		Roots: map[string]string{"workspace": d.Dir}, Dir: d.Dir, CommandUID: os.Getuid(), Deadline: 10 * time.Minute,
		Redactor: secret.New([]secret.Named{{Name: "LAB_KEY", Value: "s3cr3t-zz"}}), Now: func() time.Time { return Noon },
	}
	d.Registry = tools.NewRegistry(d.Config)
	return d
}

// With makes the registry anew.
func (d *Door) With(change func(*tools.Config)) {
	change(&d.Config)
	d.Registry = tools.NewRegistry(d.Config)
}

// Add adds tools.
func (d *Door) Add(more ...tools.Tool) {
	d.With(func(c *tools.Config) { c.Tools = append(c.Tools, more...) })
}

// Do takes one call through the door as the person.
func (d *Door) Do(t *testing.T, name, args string) tools.Result {
	t.Helper()
	res, err := d.Call(t.Context(), Person, tools.Call{ID: "c1", Name: name, Args: json.RawMessage(args)}, nil)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return res
}

// Kept is of each record what tells the story of a call.
func (d *Door) Kept() (out []string) {
	for _, r := range d.Auditor.Records {
		out = append(out, strings.TrimSpace(strings.Join([]string{r.Kind, r.Tool, r.Verdict, r.Rule, r.Approval, r.Outcome}, " ")))
	}
	return out
}

// File writes a file of the workspace.
func (d *Door) File(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(d.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Link makes a link in the workspace.
func (d *Door) Link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(d.Dir, name)); err != nil {
		t.Fatal(err)
	}
}

// Content reads a file of the workspace.
func (d *Door) Content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Diff fails where two values differ.
func Diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// There reports whether anything has that name.
func There(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
